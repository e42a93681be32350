"""A spec from its text: values, who wrote them where, parents, --backend, --set."""

import json
import subprocess
import sys
import time
from hashlib import sha256

import pytest

from vlac.errors import SpecError
from vlac.spec.load import load, load_text


def test_the_eight_lines(read, eight_lines):
    loaded = read(eight_lines)
    assert loaded.spec.train.lr == 2.5e-5
    assert loaded.spec.rlinf.version == "0.3"
    assert loaded.spec.fsdp is None
    assert loaded.diagnostics == ()
    written = loaded.last("hardware.cards")
    assert (written.value, str(written.position), written.layer) == (8, "spec.yaml:6:51", "spec")
    assert written.excerpt == eight_lines.splitlines()[5]
    assert loaded.last("train.seed") is None


def test_a_spec_is_frozen(read, eight_lines):
    with pytest.raises(ValueError, match="frozen"):
        read(eight_lines).spec.name = "other"


@pytest.mark.parametrize("version", ["0.3", '"0.3"', "'0.3'"])
def test_quotes_make_no_difference_for_a_version(read, eight_lines, version):
    loaded = read(eight_lines.replace('"0.3"', version))
    assert loaded.last("rlinf.version").value == "0.3"
    assert loaded.digest == read(eight_lines).digest


def test_the_source_text_of_a_version_stays(read, eight_lines):
    assert read(eight_lines.replace('"0.3"', "0.30")).last("rlinf.version").value == "0.30"


def test_a_number_field_is_a_float_also_when_written_as_an_integer(read, eight_lines):
    loaded = read(eight_lines.replace("lr: 2.5e-5", "lr: 1, betas: [0, 0.5]"))
    assert type(loaded.last("train.lr").value) is float
    assert loaded.last("train.betas").value == (0.0, 0.5)
    assert [type(beta) for beta in loaded.spec.train.betas] == [float, float]


def test_a_byte_order_mark_and_crlf_change_nothing(tmp_path, eight_lines):
    path = tmp_path / "a.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + eight_lines.replace("\n", "\r\n").encode())
    loaded = load(path)
    assert str(loaded.last("vlac").position) == "a.yaml:1:7"
    assert loaded.digest == load_text(eight_lines, folder=tmp_path).digest


def test_the_digest_is_of_the_meaning(read):
    plain = """\
vlac: 1 # note
rlinf: {version: 0.3}
name: a
hardware: {cards: 1, backend: cpu}
model: {family: demo}
train:
  lr: 1
  steps: 3
"""
    document = {
        "hardware": {"backend": "cpu", "cards": 1}, "model": {"family": "demo"}, "name": "a",
        "rlinf": {"version": "0.3"}, "train": {"lr": 1.0, "steps": 3}, "vlac": 1,
    }  # fmt: skip
    expected = sha256(json.dumps(document, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
    assert read(plain).digest == expected
    assert read(plain, sets=["train.lr=2"]).digest != expected
    assert read(plain + "x-note: [1, 2]\n").digest == expected


def test_relative_paths_mean_the_folder_of_the_spec(read, eight_lines):
    loaded = read(
        eight_lines.replace("/data/pi05_base", "./w//x").replace("/data/libero10", "[../d, a/b, /c]")
        + "output: .\n"
    )
    assert loaded.last("model.weights").value == "${oc.env:VLAC_SPEC_DIR}/w/x"
    assert loaded.last("data.path").value == ("${oc.env:VLAC_SPEC_DIR}/../d", "a/b", "/c")
    assert loaded.spec.output == "${oc.env:VLAC_SPEC_DIR}"


def test_a_variable_may_head_a_path(read, eight_lines):
    text = eight_lines.replace("/data/pi05_base", '"${oc.env:DATA}/pi05"')
    assert read(text).last("model.weights").value == "${oc.env:DATA}/pi05"


@pytest.mark.parametrize(
    "path", ["a${oc.env:X}", "${oc.env:X}b", "${oc.env:X}/${oc.env:Y}", "$HOME", "${HOME}/x", "~", "~me/x"]
)
def test_other_variables_in_paths_are_refused(codes, eight_lines, path):
    assert codes(eight_lines.replace("/data/pi05_base", f'"{path}"')) == [
        ("spec.yaml:4:32", "spec-path-expansion")
    ]


@pytest.mark.parametrize("name", ["a", "训练-1", "A.b_c-9", "é", "x" * 64])
def test_names(read, eight_lines, name):
    assert read(eight_lines.replace("pi05-libero10-sft", name)).spec.name == name


@pytest.mark.parametrize(
    "name", ["-a", ".a", "_a", "a..b", "a b", "a/b", "a\\b", "a$b", '"a\\nb"', "x" * 65, "a;b", "a`b", "a😀"]
)
def test_no_names(codes, eight_lines, name):
    assert codes(eight_lines.replace("pi05-libero10-sft", name)) == [("spec.yaml:2:7", "spec-name")]


def test_variables_are_taken_as_written(read, eight_lines):
    loaded = read(
        eight_lines + 'env: {A: 012, B: "x", C: true, D: null, E: 1e-5, F: "", G: ~, H: 0x10, I: "${X}"}\n'
    )
    assert loaded.spec.env == {
        "A": "012", "B": "x", "C": "true", "D": None, "E": "1e-5", "F": "", "G": None, "H": "0x10", "I": "${X}",
    }  # fmt: skip
    assert loaded.entries["env", "A"].value == "012"
    assert str(loaded.entries["env", "B"].position) == "spec.yaml:8:18"


def test_overrides_keep_their_types(read, eight_lines):
    loaded = read(eight_lines + "overrides:\n  a.b: {c: [1, 2.0, null, on]}\n  +d: null\n")
    assert loaded.spec.overrides == {"a.b": {"c": (1, 2.0, None, "on")}, "+d": None}
    assert loaded.entries["overrides", "+d"].value is None


# Parents.

PARENT = (
    "train: {lr: 1e-4, seed: 1}\nenv: {A: x, B: y}\nlogging: {backends: [wandb]}\noverrides: {a.b: {c: 1}}\n"
)


def test_mappings_merge_and_everything_else_replaces(write, eight_lines):
    child = write(
        base=PARENT,
        spec=eight_lines
        + "extends: base.yaml\nlogging: {backends: [swanlab]}\nenv: {B: z}\noverrides: {a.b: {d: 2}}\n",
    )
    loaded = load(child)
    assert loaded.spec.train.seed == 1
    assert loaded.spec.train.lr == 2.5e-5
    assert loaded.spec.logging.backends == ("swanlab",)
    assert loaded.spec.env == {"A": "x", "B": "z"}
    assert loaded.spec.overrides == {"a.b": {"c": 1, "d": 2}}
    assert [(w.value, str(w.position), w.layer) for w in loaded.written["train.lr"]] == [
        (1e-4, "base.yaml:1:13", "extends"),
        (2.5e-5, "spec.yaml:7:62", "spec"),
    ]
    assert str(loaded.entries["env", "A"].position) == "base.yaml:2:10"


def test_parents_apply_from_left_to_right_and_each_after_its_own(write, eight_lines):
    child = write(
        far="train: {seed: 1, eps: 1e-7, weight_decay: 0.5}\n",
        left="extends: far.yaml\ntrain: {seed: 2, eps: 1e-6}\n",
        right="train: {seed: 3}\n",
        spec=eight_lines + "extends: [left.yaml, right.yaml]\n",
    )
    train = load(child).spec.train
    assert (train.seed, train.eps, train.weight_decay) == (3, 1e-6, 0.5)


def test_the_last_writing_of_a_mapping_holds_all_of_it(write, eight_lines):
    child = write(
        base="data: {options: {a: 1, b: 2, c: 3}}\n",
        spec=eight_lines.replace("config:", "options: {b: null, d: 4}, config:") + "extends: base.yaml\n",
    )
    loaded = load(child)
    assert loaded.last("data.options").value == loaded.spec.data.options == {"a": 1, "c": 3, "d": 4}
    assert str(loaded.entries["data.options", "d"].position) == "spec.yaml:5:53"


def test_empty_mappings_are_fine(read, eight_lines):
    loaded = read(eight_lines + "env: {}\noverrides: {}\nfsdp: {}\n")
    assert loaded.last("env").value == {}
    assert loaded.entries == {}


def test_vlac_and_name_are_not_inherited(write, eight_lines):
    child = write(base=eight_lines, spec="extends: base.yaml\n")
    with pytest.raises(SpecError) as caught:
        load(child)
    assert [(p.code, p.message.split("`")[1]) for p in caught.value.diagnostics] == [
        ("spec-missing", "vlac"),
        ("spec-missing", "name"),
    ]


def test_null_forgets_what_was_inherited(write, eight_lines):
    child = write(
        base=eight_lines
        + "fsdp: {version: 2, cpu_offload: true}\nenv: {A: x}\noverrides: {a: 1}\nsecrets: [S]\n",
        spec="vlac: 1\nname: b\nextends: base.yaml\nfsdp:\ntrain: {lr: null}\n"
        "env: {A: null}\noverrides: {a: null}\nsecrets: null\n",
    )
    loaded = load(child)
    assert loaded.spec.fsdp is None
    assert loaded.spec.train.lr is None
    assert "train.lr" not in loaded.written
    assert "fsdp.version" not in loaded.written
    assert loaded.spec.env == {"A": None}
    assert loaded.spec.overrides == {"a": None}
    assert loaded.spec.secrets is None


def test_only_the_merged_result_is_validated_with_positions_in_the_file_that_wrote_it(write, eight_lines):
    child = write(
        base="train: {lr: wrong, seed: wrong}\nfsdp: 3\n",
        spec=eight_lines + "extends: base.yaml\nfsdp: {version: 1}\n",
    )
    with pytest.raises(SpecError) as caught:
        load(child)
    assert [str(p.position) for p in caught.value.diagnostics] == ["base.yaml:1:26"]


def test_paths_in_a_parent_are_relative_to_its_folder(write, eight_lines):
    child = write(
        family__weights="model: {weights: ./w}\ndata: {path: ../d}\n",
        spec=eight_lines.replace(", weights: /data/pi05_base", "").replace("path: /data/libero10, ", "")
        + "extends: family/weights.yaml\n",
    )
    loaded = load(child)
    assert loaded.last("model.weights").value == "${oc.env:VLAC_SPEC_DIR}/family/w"
    assert loaded.last("data.path").value == "${oc.env:VLAC_SPEC_DIR}/d"
    assert loaded.last("data.path").position.file == "family/weights.yaml"


def chain(write, eight_lines, levels):
    files = {f"p{n}": f"extends: p{n + 1}.yaml\n" for n in range(1, levels)}
    return write(**files, **{f"p{levels}": "train: {seed: 7}\n"}, spec=eight_lines + "extends: p1.yaml\n")


def test_eight_levels_are_fine(write, eight_lines):
    assert load(chain(write, eight_lines, 8)).spec.train.seed == 7


def told(path):
    with pytest.raises(SpecError) as caught:
        load(path)
    return [(str(problem.position), problem.code) for problem in caught.value.diagnostics]


def test_nine_levels_are_not(write, eight_lines):
    assert told(chain(write, eight_lines, 9)) == [("p8.yaml:1:10", "spec-extends-depth")]


def test_circles(write, eight_lines):
    child = write(a="extends: spec.yaml\n", spec=eight_lines + "extends: ./a.yaml\n")
    assert told(child) == [("a.yaml:1:10", "spec-extends-cycle")]


def test_a_parent_reached_twice_is_no_circle(write, eight_lines):
    child = write(
        a="train: {seed: 1}\n", b="extends: a.yaml\n", spec=eight_lines + "extends: [a.yaml, b.yaml]\n"
    )
    assert load(child).spec.train.seed == 1


def test_parents_that_multiply_are_stopped(write, eight_lines):
    files = {f"p{n}": f"extends: [{', '.join([f'p{n + 1}.yaml'] * 9)}]\n" for n in range(1, 8)}
    child = write(**files, p8="", spec=eight_lines + "extends: p1.yaml\n")
    assert {code for _, code in told(child)} == {"spec-extends-depth", "spec-empty"}


def test_what_is_wrong_inside_a_parent_has_its_position(write, eight_lines):
    child = write(base="train: {sed: 1}\ntrain: {}\n", spec=eight_lines + "extends: base.yaml\nlr: 1\n")
    assert told(child) == [
        ("spec.yaml:9:1", "spec-foreign-word"),
        ("base.yaml:1:9", "spec-unknown-key"),
        ("base.yaml:2:1", "yaml-duplicate-key"),
    ]


def test_a_newer_parent_is_the_only_message(write, eight_lines):
    child = write(base="vlac: 7\nsed: 1\n", spec=eight_lines + "extends: base.yaml\nlr: 1\n")
    assert told(child) == [("base.yaml:1:7", "spec-newer")]


# The command line.


def test_backend_forgets_the_device(read, eight_lines):
    loaded = read(eight_lines, backend="cuda")
    assert (loaded.spec.hardware.backend, loaded.spec.hardware.device, loaded.spec.hardware.cards) == (
        "cuda",
        None,
        8,
    )
    assert [w.layer for w in loaded.written["hardware.backend"]] == ["spec", "--backend"]
    assert "hardware.device" not in loaded.written


def test_backend_may_name_a_device(read, eight_lines):
    loaded = read(eight_lines, backend="cuda:H100", sets=["hardware.cards=4"])
    assert loaded.last("hardware.device").value == "H100"
    assert str(loaded.last("hardware.device").position) == "--backend:1:6"
    assert str(loaded.last("hardware.cards").position) == "--set[1]:1:16"


@pytest.mark.parametrize("backend", ["", ":", "cuda:", ":H100"])
def test_a_backend_without_name_or_device(codes, eight_lines, backend):
    assert codes(eight_lines, backend=backend) == [("--backend:1:1", "argument-backend")]


def test_a_wrong_backend_argument_is_shown_as_it_was_written(read, eight_lines):
    loaded = read(eight_lines, backend="cuda:H100")
    assert loaded.last("hardware.backend").excerpt == "cuda:H100"


def test_set_wins_over_the_spec_and_the_last_one_wins(read, eight_lines):
    loaded = read(
        eight_lines, backend="cuda:H100", sets=["train.lr=1e-3", "hardware={device: A100}", "train.lr=2"]
    )
    assert loaded.spec.train.lr == 2.0
    assert loaded.spec.hardware.device == "A100"
    assert [(w.value, str(w.position)) for w in loaded.written["train.lr"]] == [
        (2.5e-5, "spec.yaml:7:62"), (1e-3, "--set[1]:1:10"), (2.0, "--set[3]:1:10"),
    ]  # fmt: skip


def test_set_reaches_entries_whose_names_have_dots(read, eight_lines):
    loaded = read(
        eight_lines, sets=["overrides.a.b[0].c=null", "env.A=1=2", "overrides={+x.y: 3}", "secrets=[S, T]"]
    )
    assert loaded.spec.overrides == {"a.b[0].c": None, "+x.y": 3}
    assert loaded.spec.env == {"A": "1=2"}
    assert loaded.spec.secrets == ("S", "T")


def test_set_of_the_empty_text(read, codes, eight_lines):
    assert read(eight_lines, sets=["env.A="]).spec.env == {"A": ""}
    assert codes(eight_lines, sets=["logging.project="]) == [("--set[1]:1:17", "spec-type")]


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("train.steps", "--set[2]:1:1 argument-set"),
        ("=3", "--set[2]:1:1 argument-set"),
        ("train..lr=3", "--set[2]:1:1 argument-set"),
        ("extends=x", "--set[2]:1:1 argument-set"),
        ("train.stepz=abc", "--set[2]:1:7 spec-unknown-key"),
        ("train.steps=abc", "--set[2]:1:13 spec-type"),
        ("train.seed=x", "--set[2]:1:12 spec-type"),
        ("train.steps={a: 1}", "--set[2]:1:13 spec-type"),
        ("train.steps.x=1", "--set[2]:1:15 spec-type"),
        ("train.lr=null", "--set[2]:1:10 spec-null"),
        ("train.lr=", "--set[2]:1:10 spec-type"),
        ("train.lr=[1", "--set[2]:1:10 yaml-syntax"),
        ("train.lr=*x", "--set[2]:1:10 yaml-alias"),
        ("train.lr=!!float 1", "--set[2]:1:10 yaml-tag"),
        ("train.lr=a: 1", "--set[2]:1:10 argument-set"),
        ("train.lr=1\n", "--set[2]:1:10 argument-set"),
        ("train=3", "--set[2]:1:7 spec-type"),
        ("nonsense=3", "--set[2]:1:1 spec-unknown-key"),
    ],
)
def test_a_wrong_set(codes, eight_lines, argument, expected):
    assert codes(eight_lines, sets=["train.seed=1", argument]) == [tuple(expected.split(" "))]


def test_a_newer_spec_is_the_only_message_whatever_the_command_line_says(codes):
    assert codes("vlac: 3\n", sets=["nonsense"], backend=":") == [("spec.yaml:1:7", "spec-newer")]


@pytest.mark.parametrize(
    "betas", ["[]", "[0.9]", "[0.9, 0.9, 0.9]", "0.9", "[0.9, x]", "[true, 0.9]", "{}", "[[0.9], 0.9]"]
)
def test_betas_are_two_numbers(codes, eight_lines, betas):
    ((_, code),) = codes(eight_lines, sets=[f"train.betas={betas}"])
    assert code in ("spec-type", "spec-range")


# Going on.


def test_keep_going_returns_what_is_right(read, eight_lines):
    text = (
        eight_lines.replace("lr: 2.5e-5", "lr: fast")
        .replace("/data/pi05_base", "~/x")
        .replace("name:", "nam:")
    )
    loaded = read(text, keep_going=True)
    assert loaded.broken == {"train.lr", "model.weights", "name"}
    assert {p.code for p in loaded.diagnostics} == {"spec-type", "spec-path-expansion", "spec-unknown-key"}
    assert not loaded.broken & set(loaded.written)
    assert loaded.last("train.steps").value == 30000


def test_keep_going_cannot_read_what_is_not_yaml(read):
    with pytest.raises(SpecError):
        read("a: [", keep_going=True)


# Files.


def test_files_that_are_no_specs(tmp_path):
    (tmp_path / "big.yaml").write_bytes(b"# " + b"x" * 10_000_000)
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "latin.yaml").write_bytes(b"vlac: 1\r\nname: \xe9\n")
    (tmp_path / "utf16.yaml").write_bytes("vlac: 1\n".encode("utf-16"))
    assert told(tmp_path / "big.yaml") == [("big.yaml:1:1", "spec-too-large")]
    assert told(tmp_path / "folder.yaml") == [("folder.yaml:1:1", "spec-unreadable")]
    assert told(tmp_path / "latin.yaml") == [("latin.yaml:2:7", "spec-not-utf8")]
    assert told(tmp_path / "utf16.yaml") == [("utf16.yaml:1:1", "spec-not-utf8")]
    assert told(tmp_path / "missing.yaml") == [("missing.yaml:1:1", "spec-unreadable")]
    assert told(tmp_path / "a\0b.yaml")[0][1] == "spec-unreadable"


def test_a_file_in_place_of_a_folder(tmp_path):
    (tmp_path / "file").write_text("")
    assert told(tmp_path / "file" / "spec.yaml") == [("spec.yaml:1:1", "spec-unreadable")]


# Speed and imports.


def test_eight_lines_are_read_in_milliseconds(read, eight_lines):
    read(eight_lines)
    times = []
    for _ in range(20):
        start = time.process_time()
        read(eight_lines)
        times.append(time.process_time() - start)
    assert min(times) < 0.005


def test_reading_imports_nothing_heavy():
    code = (
        "import sys; from pathlib import Path; from vlac.spec.load import load_text\n"
        f"load_text({'vlac: 1'!r} + chr(10) + 'name: a', folder=Path('.'), keep_going=True)\n"
        "heavy = {'torch', 'ray', 'jax', 'hydra', 'omegaconf', 'numpy', 'inspect', 'importlib.metadata', 'rich'}\n"
        "print(*sorted(heavy & set(sys.modules)))"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert set(found) <= {
        "inspect",
        "importlib.metadata",
    }  # what pydantic imports itself is not ours to judge


@pytest.mark.parametrize("value", ["true", "1.0", "+1", "0x1"])
@pytest.mark.parametrize("field", ["vlac", "fsdp.version"])
def test_a_choice_of_numbers_takes_digits_alone(eight_lines, codes, field, value):
    text = eight_lines + f"fsdp: {{version: {value}}}\n" if field == "fsdp.version" else eight_lines
    text = text.replace("vlac: 1", f"vlac: {value}") if field == "vlac" else text
    place = "spec.yaml:1:7" if field == "vlac" else "spec.yaml:8:17"
    assert [found for found, code in codes(text) if code in ("spec-type", "spec-range")] == [place]


@pytest.mark.parametrize(
    "secrets", ["[[sk-1]]", "[99887766]", "[null, 5]", "\n- MYK: sk-1", "[{MYK: sk-1}]", "99887766"]
)
def test_whatever_stands_under_secrets_is_never_repeated(eight_lines, read, secrets):
    with pytest.raises(SpecError) as caught:
        read(eight_lines + f"secrets: {secrets}\n")
    assert all(problem.excerpt is None for problem in caught.value.diagnostics)
    assert not any("sk-1" in p.message or "9988" in p.message for p in caught.value.diagnostics)


def test_a_secret_under_env_stays_out_of_the_plan(eight_lines, read):
    loaded = read(eight_lines + "env: {MYK: sk-1}\nsecrets: [MYK]\n", keep_going=True)
    assert "env" in loaded.broken and "env" not in loaded.written
    assert ("env", "MYK") not in loaded.entries


@pytest.mark.parametrize(
    "line",
    ["logging: {project: 'a${actor.seed}'}", "data: {path: /d, config: c, options: {a: [{b: '${x}'}]}}"],
)
def test_a_text_cannot_become_an_interpolation(codes, line):
    assert [code for _, code in codes(f"{line}\n")].count("spec-text") == 1


def test_an_option_may_begin_with_a_variable_as_a_path_does(eight_lines, read):
    text = eight_lines.replace("pi05_libero}", "pi05_libero, options: {assets: '${oc.env:ASSETS}/a'}}")
    assert read(text).diagnostics == ()


@pytest.mark.parametrize("path", ["/a/global_step_5/", "/a/global_step_", "/a/global_step_5/actor"])
def test_resume_ends_in_the_number_that_rlinf_reads(eight_lines, codes, path):
    text = eight_lines + f"checkpoints: {{resume: {path}}}\n"
    assert [code for _, code in codes(text)] == ["spec-resume"]


def test_null_forgets_fields_alone(tmp_path, eight_lines, codes):
    (tmp_path / "base.yaml").write_text(eight_lines)
    found = codes("vlac: 1\nname: x\nextends: base.yaml\nnope: null\ntrain: {warmup_stepz: null}\n")
    assert [code for _, code in found] == ["spec-unknown-key", "spec-unknown-key"]
