from __future__ import annotations

import subprocess

import pytest

from vlac.bundle import run_env

HARD = [
    "",
    "plain",
    "a b",
    "it's",
    '"quoted"',
    "$(touch x)",
    "`x`",
    "数据",
    "a#b",
    "# no comment",
    "a\\b",
    "=",
    "~",
    "*",
]


@pytest.mark.parametrize("value", HARD)
def test_bash_and_the_reader_agree_on_every_value(tmp_path, bundle, value):
    folder = bundle(tmp_path, {}, {"NAME": value, "LAST": "x"}).parent
    shown = subprocess.run(
        ["bash", "-c", 'source "$1" && printf "%s\\0" "$NAME" "$LAST"', "bash", folder / "run.env"],
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        check=True,
    )
    assert shown.stdout.decode() == f"{value}\0x\0"
    assert run_env.read((folder / "run.env").read_bytes()) == {"NAME": value, "LAST": "x"}


def test_secrets_and_names_left_to_the_shell_stand_in_comments_only(tmp_path, bundle):
    folder = bundle(tmp_path, {}, {"LEFT": None, "SET": "1"}, secrets=("HF_TOKEN",)).parent
    content = (folder / "run.env").read_bytes()
    assert run_env.read(content) == {"SET": "1"}
    naming = [line for line in content.decode().splitlines() if "HF_TOKEN" in line or "LEFT" in line]
    assert naming
    assert all(line.startswith("#") for line in naming)


def test_a_reason_cannot_leave_its_comment(tmp_path, bundle):
    from dataclasses import replace

    folder = tmp_path
    plan = bundle.make_plan({}, {"SET": "1"})
    wild = replace(plan.environment[0], why="first\nexport EVIL=1")
    content = run_env.emit(replace(plan, environment=(wild,)))
    (folder / "run.env").write_bytes(content)
    assert run_env.read(content) == {"SET": "1"}
