"""`--dry-run` and preflight say what launch.sh then does."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from vlac.bundle import Bundle, run_env
from vlac.errors import MachineError
from vlac.plan.origins import Layer, Origin, Setting
from vlac.run.launch import Launch, describe, resolve, training
from vlac.run.preflight import preflight


@pytest.fixture
def launch(tmp_path, bundle):
    """A launch of the fake bundle, whose trainer needs no RLinf: its interpreter is named by the plan."""

    def make(settings=None, environment=None, **options) -> Launch:
        settings = {"rlinf.python": sys.executable, **(settings or {})}
        script = bundle(tmp_path / "bundle", settings, environment, **options)
        plan = bundle.make_plan(settings, environment, **options)
        files = {
            p.relative_to(script.parent).as_posix(): p.read_bytes()
            for p in script.parent.rglob("*")
            if p.is_file()
        }
        shell = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
        return Launch(
            Bundle(plan, {}, files, frozenset(), ()), tmp_path, shell, sys.executable, ("runner.max_steps=2",)
        )

    return make


def execute(launch: Launch, run: Path) -> dict:
    for name, content in launch.bundle.files.items():
        (run / "bundle" / name).parent.mkdir(parents=True, exist_ok=True)
        (run / "bundle" / name).write_bytes(content)
    variables = {**launch.shell, **launch.own_variables(run)}
    subprocess.run(launch.command(run), env=variables, check=True, capture_output=True)
    return json.loads((run / "started.json").read_text())


def test_a_dry_run_names_the_command_that_is_then_executed(tmp_path, launch):
    it = launch({"output": f"{tmp_path}/it's $(here)"}, {"NAME": "a 'b'", "OTHER": None})
    said = describe(it)
    run = it.runs / "1"
    assert not it.runs.exists()
    done = execute(it, run)
    assert training(it, run) == [done["python"], *done["argv"]]
    exports = [
        line for line in said.splitlines() if line.startswith("export ") and "ADDRESS_OF_THAT" not in line
    ]
    told = subprocess.run(
        ["bash", "-c", "\n".join([*exports, "env -0"])], env=it.shell, capture_output=True, check=True
    ).stdout.decode()
    variables = dict(entry.split("=", 1) for entry in told.split("\0") if entry)
    for name in ("NAME", "VLAC_RUN_DIR", "PYTHONPATH", "PYTHONUNBUFFERED", "VLAC_SPEC_DIR", "RAY_AUTH_MODE"):
        assert variables[name] == done["env"][name], name
    assert f"cd '{tmp_path}/it'\"'\"'s $(here)/tiny/1'" in said
    assert done["cwd"] == str(run)


def test_a_dry_run_starts_ray_as_the_script_does(tmp_path, launch):
    it = launch({"output": str(tmp_path / "out")})
    run = it.runs / "1"
    told = next(line for line in describe(it).splitlines() if "ray.scripts.scripts" in line)
    execute(it, run)
    done = json.loads((run / "ray.json").read_text())
    *variables, session, python, _, _ = told.partition(" start ")[0].split()
    assert done["ports"] == dict(text.split("=") for text in variables)
    assert len(variables) == 2
    assert (session, python) == ("setsid", done["python"])
    assert done["is_session_leader"]

    def shown(word: str) -> str:  # what differs from run to run
        return re.sub(r"(port)=[1-9]\d+|(/tmp/vlac)\.\w+", r"\1\2", word.replace("A_FREE_PORT", "12345"))

    assert [shown(word) for word in done["argv"][1:]] == [shown(word) for word in told.split()[6:-1]]


def test_a_dry_run_shows_no_secret(launch):
    it = launch(secrets=("HF_TOKEN",))
    it = replace(it, shell={**it.shell, "HF_TOKEN": "hunter2"})
    assert "HF_TOKEN" in describe(it)
    assert "hunter2" not in describe(it)


def test_a_dry_run_names_the_next_run_folder(launch, tmp_path):
    (tmp_path / "results/tiny/4").mkdir(parents=True)
    assert f"# Run folder: {tmp_path}/results/tiny/5\n" in describe(launch())


def test_a_checkout_gives_entry_folder_and_interpreter(tmp_path, launch):
    checkout = tmp_path / "RLinf"
    python = checkout / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\n")
    python.chmod(0o755)
    entry = checkout / "examples/sft/train_vla_sft.py"
    entry.parent.mkdir(parents=True)
    entry.write_text("")
    settings = {"rlinf.path": str(checkout), "rlinf.python": None, "model.family": "pi05", "data.path": "/d"}
    it = launch(settings)
    assert training(it, Path("/run"))[:2] == [str(python), str(entry)]
    assert f"cd {checkout}\n" in describe(it)
    assert "vlac_demo.generate" not in describe(it)
    preflight(it)


def test_a_ray_of_the_user_is_said_to_be_used(launch):
    it = launch()
    said = describe(replace(it, shell={**it.shell, "RAY_ADDRESS": "10.0.0.1:6379"}))
    assert "10.0.0.1:6379" in said
    assert "ray.scripts" not in said


def test_everything_that_is_missing_is_told_at_once(tmp_path, launch):
    it = launch(
        {"output": "${oc.env:NOT_SET}/x", "rlinf.path": f"{tmp_path}/nowhere"},
        secrets=("HF_TOKEN", "WANDB_API_KEY"),
    )
    config = {("actor", "model", "model_path"): Setting("/path/to/model", Origin(Layer.SPEC, ""))}
    with pytest.raises(MachineError) as problem:
        preflight(replace(it, bundle=replace(it.bundle, config=config)))
    assert problem.value.exit_code == 3
    for word in ("HF_TOKEN", "WANDB_API_KEY", "NOT_SET", "actor.model.model_path"):
        assert word in problem.value.message


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"rlinf.path": "/no/where", "model.family": "pi05"}, "/no/where"),
        ({"rlinf.path": "/", "model.family": "pi05"}, "train_vla_sft.py"),
        ({"rlinf.python": "/no/python"}, "/no/python"),
        ({"rlinf.path": "/tmp", "hardware.nodes": 2}, "RAY_ADDRESS"),
    ],
)
def test_what_is_missing_is_named(launch, settings, word):
    with pytest.raises(MachineError) as problem:
        preflight(launch(settings))
    assert word in problem.value.message


def test_an_interpreter_without_rlinf_is_named(launch, monkeypatch):
    monkeypatch.setattr("vlac.run.rlinf_files.ask", lambda _: {})
    with pytest.raises(MachineError) as problem:
        preflight(launch())
    assert "vla-compiler[run]" in problem.value.message


def test_a_checkout_interpreter_without_ray_is_named_before_anything_starts(launch, monkeypatch):
    monkeypatch.setattr("vlac.run.preflight._NEEDED", ("json", "no_such_package"))
    with pytest.raises(MachineError) as problem:
        preflight(launch({"rlinf.path": "/tmp", "rlinf.python": sys.executable}))
    assert "no_such_package" in problem.value.message and "json" not in problem.value.message


def test_a_variable_in_a_path():
    assert resolve("${oc.env:A}/x ${b}", {"A": "/a b"}) == "/a b/x ${b}"
    with pytest.raises(MachineError, match="A is not set"):
        resolve("${oc.env:A}/x", {"A": ""})


def test_run_env_wins_over_the_shell(launch):
    it = launch(environment={"NAME": "bundle"})
    it = replace(it, shell={**it.shell, "NAME": "shell"})
    assert it.variables["NAME"] == "bundle"
    assert run_env.read(it.bundle.files["run.env"]) == {"NAME": "bundle"}
