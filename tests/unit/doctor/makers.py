"""Data sets, weights and launches in small, whole unless a test damages them."""

import json
import struct
import sys
from dataclasses import replace
from functools import cache

import vlac
from vlac.run.launch import Launch

try:
    import pyarrow
    import pyarrow.parquet as parquet
except ImportError:
    pyarrow = None

INDEXES = {
    name: {"dtype": "int64", "shape": [1]} for name in ("frame_index", "episode_index", "index", "task_index")
}
LIBERO = {
    "image": {"dtype": "image", "shape": [8, 8, 3]},
    "wrist_image": {"dtype": "image", "shape": [8, 8, 3]},
    "state": {"dtype": "float32", "shape": [8]},
    "actions": {"dtype": "float32", "shape": [7]},
    "timestamp": {"dtype": "float32", "shape": [1]},
    **INDEXES,
}
VECTORS = ("float32", "float64")


def value(name, size, index):
    """The vector of a feature at a frame of the data set: any that differ by feature, frame and entry."""
    salt = sum(name.encode()) % 17
    return [((index * 31 + entry * 7 + salt) % 101) / 50 - 1 for entry in range(size)]


def columns(features, first, length, fps, episode):
    found = {
        name: [value(name, feature["shape"][0], first + row) for row in range(length)]
        for name, feature in features.items()
        if feature["dtype"] in VECTORS and name != "timestamp"
    }
    found["timestamp"] = [row / fps for row in range(length)]
    found["episode_index"] = [episode] * length
    return found


def write_parquet(file, table):
    file.parent.mkdir(parents=True, exist_ok=True)
    if pyarrow is None:  # the ends of a parquet file are all that is looked at without pyarrow
        file.write_bytes(b"PAR1" + bytes(16) + b"PAR1")
        return
    parquet.write_table(pyarrow.table(table), file)


def write_info(root, lengths, features, fps, version, tasks, **changes):
    info = {
        "codebase_version": version,
        "total_episodes": len(lengths),
        "total_frames": sum(lengths),
        "total_tasks": len(tasks),
        "chunks_size": 1000,
        "fps": fps,
        "features": features,
        **changes,
    }
    (root / "meta").mkdir(parents=True, exist_ok=True)
    (root / "meta/info.json").write_text(json.dumps(info))


def write_jsonl(file, rows):
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))


def dataset_2(root, lengths=(12, 9, 15), features=LIBERO, fps=10, tasks=("pick it up",)):
    """A LeRobot v2.1 data set."""
    write_info(root, lengths, features, fps, "v2.1", tasks)
    write_jsonl(root / "meta/tasks.jsonl", [{"task_index": i, "task": task} for i, task in enumerate(tasks)])
    write_jsonl(
        root / "meta/episodes.jsonl",
        [{"episode_index": i, "length": length, "tasks": list(tasks)} for i, length in enumerate(lengths)],
    )
    first = 0
    for episode, length in enumerate(lengths):
        file = root / f"data/chunk-000/episode_{episode:06d}.parquet"
        write_parquet(file, columns(features, first, length, fps, episode))
        first += length
    return root


def dataset_3(root, files=((12, 9), (15,)), features=LIBERO, fps=10, tasks=("pick it up",)):
    """A LeRobot v3.0 data set: the episodes of each file by their lengths."""
    lengths = [length for file in files for length in file]
    write_info(root, lengths, features, fps, "v3.0", tasks)
    write_parquet(root / "meta/tasks.parquet", {"task_index": list(range(len(tasks))), "task": list(tasks)})
    rows, first = [], 0
    for number, inside in enumerate(files):
        parts = []
        for length in inside:
            parts.append(columns(features, first, length, fps, len(rows)))
            rows.append(
                {"episode_index": len(rows), "length": length, "dataset_from_index": first, "file": number}
            )
            first += length
        merged = {name: [row for part in parts for row in part[name]] for name in parts[0]}
        write_parquet(root / f"data/chunk-000/file-{number:03d}.parquet", merged)
    table = {name: [row[name] for row in rows] for name in ("episode_index", "length", "dataset_from_index")}
    table |= {"data/chunk_index": [0] * len(rows), "data/file_index": [row["file"] for row in rows]}
    write_parquet(root / "meta/episodes/chunk-000/file-000.parquet", table)
    return root


def safetensors(file, names, dtype="BF16", shape=(2, 3)):
    """A whole safetensors file with tensors of these names."""
    size = shape[0] * shape[1] * {"BF16": 2, "F32": 4}[dtype]
    header = {
        name: {"dtype": dtype, "shape": list(shape), "data_offsets": [index * size, (index + 1) * size]}
        for index, name in enumerate(sorted(names))
    }
    text = json.dumps({"__metadata__": {"format": "pt"}, **header}).encode()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(struct.pack("<Q", len(text)) + text + bytes(size * len(header)))
    return file


def statistics(file, state=8, actions=7, **changes):
    """A file of statistics as openpi writes it; `changes` are for the actions."""

    def one(size):
        return {"mean": [0.1] * size, "std": [0.5] * size, "q01": [-0.9] * size, "q99": [0.9] * size}

    file.parent.mkdir(parents=True, exist_ok=True)
    document = {"norm_stats": {"state": one(state), "actions": {**one(actions), **changes}}}
    file.write_text(json.dumps(document))
    return file


@cache
def bundle(backend, sets, changes):
    """A compiled spec; its paths are relative to the spec, so that every test can take it."""
    fields = {
        "vlac": "1",
        "name": "t",
        "rlinf": '{version: "0.3"}',
        "model": "{family: pi05, weights: ./weights}",
        "data": "{path: ./data, config: pi05_libero}",
        "hardware": "{backend: ascend, device: 910B3, cards: 2}",
        "train": "{steps: 10, micro_batch: 2, global_batch: 8}",
        **dict(changes),
    }
    text = "".join(f"{key}: {written}\n" for key, written in fields.items())
    return vlac.compile_text(text, folder="/", backend=backend, sets=sets)


def launch(folder, shell=None, backend=None, sets=(), **changes):
    """The launch of a spec in `folder` with data and weights beside it."""
    made = bundle(backend, tuple(sets), tuple(changes.items()))
    return Launch(made, folder, {"HOME": str(folder), **(shell or {})}, sys.executable)


def with_adapter(one, **changes):
    """The launch with another adapter in its plan."""
    plan = one.plan
    adapter = replace(plan.adapter, **changes)
    return replace(one, bundle=replace(one.bundle, plan=replace(plan, adapter=adapter)))
