"""A real Hydra job on an emitted config: it composes, stays in its folder, logs to stdout, leaves no file."""

from __future__ import annotations

import json
import subprocess
import sys

from vlac.plan.origins import Layer, Origin, Setting
from vlac.rlinf.config_yaml import emit

JOB = """
import json, logging, os
import hydra
from omegaconf import OmegaConf

@hydra.main(version_base="1.1", config_path="config", config_name="another")
def main(cfg):
    logging.info("seen by the job")
    print(json.dumps({"config": OmegaConf.to_container(cfg, resolve=True), "cwd": os.getcwd()}))

main()
"""


def run_job(tmp_path, data: bytes):
    for folder in ("job", "bundle", "empty"):
        (tmp_path / folder).mkdir()
    (tmp_path / "job" / "main.py").write_text(JOB)
    (tmp_path / "bundle" / "config.yaml").write_bytes(data)
    arguments = ["--config-path", str(tmp_path / "bundle"), "--config-name", "config"]
    return subprocess.run(
        [sys.executable, str(tmp_path / "job" / "main.py"), *arguments],
        cwd=tmp_path / "empty",
        capture_output=True,
        text=True,
        timeout=60,
    )


def files_of(tmp_path):
    found = (path for path in tmp_path.rglob("*") if path.is_file())
    return sorted(str(path.relative_to(tmp_path)) for path in found)


def test_a_hydra_job_composes_stays_and_leaves_nothing_behind(tmp_path):
    leaves = {
        ("cluster", "component_placement", "actor,env,rollout"): "0-7",
        ("actor", "model", "precision"): None,
        ("actor", "fsdp_config", "param_dtype"): "${actor.model.precision}",
        ("actor", "optim", "lr"): 2.5e-05,
        ("data", "train_data_paths"): "/数据/a b",
    }
    settings = {path: Setting(value, Origin(Layer.RLINF, "")) for path, value in leaves.items()}
    done = run_job(tmp_path, emit(settings, name="a"))
    assert done.returncode == 0, done.stderr
    log, result = done.stdout.splitlines()
    assert log.endswith("[root][INFO] - seen by the job")
    assert json.loads(result)["cwd"] == str(tmp_path / "empty")
    assert json.loads(result)["config"] == {
        "cluster": {"component_placement": {"actor,env,rollout": "0-7"}},
        "actor": {
            "model": {"precision": None},
            "fsdp_config": {"param_dtype": None},
            "optim": {"lr": 2.5e-05},
        },
        "data": {"train_data_paths": "/数据/a b"},
    }
    assert files_of(tmp_path) == ["bundle/config.yaml", "job/main.py"]


def test_without_the_hydra_node_the_job_would_move_and_write(tmp_path):
    done = run_job(tmp_path, b"a: 1\n")
    assert done.returncode == 0, done.stderr
    assert any(name.startswith("empty/outputs/") for name in files_of(tmp_path))
