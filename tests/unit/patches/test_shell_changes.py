"""Exports and Hydra overrides that a patched script sets."""

import pytest

from vlac.patches.changes import ABSENT
from vlac.patches.shell_changes import exports

SCRIPT = """\
    #! /bin/bash
    export MUJOCO_GL="egl"
    export PYTHONPATH=${REPO_PATH}:$PYTHONPATH
    LOG_DIR="${REPO_PATH}/logs"
    CMD="python ${SRC_FILE} --config-name ${CONFIG_NAME} runner.logger.log_path=${LOG_DIR} actor.seed=0"
    ${CMD} 2>&1 | tee -a ${LOG}
    """


def found(changed, after):
    return [
        (getattr(item, "name", None) or ".".join(getattr(item, "key", ["code"])), item.old, item.new)
        for item in changed("examples/sft/run_vla_sft.sh", SCRIPT, after)
    ]


def edit(old, new):
    assert SCRIPT.count(old) == 1
    return SCRIPT.replace(old, new)


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("export JAX_PLATFORMS=cpu", "JAX_PLATFORMS", "cpu"),
        ('export A="two words"  # why', "A", "two words"),
        ("export A='$HOME'", "A", "$HOME"),
        ("export A=${A:-default}", "A", "default"),
        ("export A=${B:-default}", "A", "${B:-default}"),
        ("declare -x A=1", "A", "1"),
        ("export A=", "A", ""),
        ("if true; then export A=1; fi", "A", "1"),
    ],
)
def test_an_added_export(changed, line, name, value):
    assert (name, None, value) in found(changed, edit('"egl"\n', f'"egl"\n    {line}\n'))


def test_several_exports_on_a_line(changed):
    assert found(changed, edit('"egl"\n', '"egl"\n    export A=1 B=2; export C=3\n')) == [
        ("A", None, "1"),
        ("B", None, "2"),
        ("C", None, "3"),
    ]


def test_changed_removed_and_unset_exports(changed):
    assert found(changed, edit('"egl"', "osmesa")) == [("MUJOCO_GL", "egl", "osmesa")]
    assert found(changed, edit('    export MUJOCO_GL="egl"\n', "")) == [("MUJOCO_GL", "egl", None)]
    assert found(changed, edit('export MUJOCO_GL="egl"', "unset MUJOCO_GL")) == [("MUJOCO_GL", "egl", None)]
    assert found(changed, edit('"egl"\n', '"egl"\n    unset http_proxy\n')) == [("http_proxy", None, None)]


def test_a_variable_for_one_command_counts_and_its_command_does_not(changed):
    assert found(changed, edit("    ${CMD} 2>&1", "    JAX_PLATFORMS=cpu ${CMD} 2>&1")) == [
        ("JAX_PLATFORMS", None, "cpu")
    ]


def test_quotes_comments_and_blanks_say_nothing(changed):
    assert found(changed, edit('"egl"\n', "egl   # EGL\n\n    # nothing\n")) == []


def test_hydra_overrides(changed):
    assert found(changed, edit(" actor.seed=0", " actor.seed=1 +actor.optim.lr=1e-4 data.x=on")) == [
        ("actor.seed", 0, 1),
        ("actor.optim.lr", ABSENT, 1e-4),
        ("data.x", ABSENT, "on"),
    ]
    assert found(changed, edit(" actor.seed=0", "")) == [("actor.seed", 0, ABSENT)]


def test_overrides_on_continued_lines(changed):
    after = edit(
        "    ${CMD} 2>&1",
        "    python train.py \\\n      runner.max_steps=5 \\\n      'actor.x=[a, 2]'\n    ${CMD} 2>&1",
    )
    assert ("runner.max_steps", ABSENT, 5) in found(changed, after)


def test_other_lines_are_code(changed):
    assert found(changed, edit('"${REPO_PATH}/logs"', '"/tmp/logs"')) == [
        ("code", "LOG_DIR=${REPO_PATH}/logs", "LOG_DIR=/tmp/logs")
    ]
    assert found(changed, edit('"egl"\n', '"egl"\n    ulimit -n 65536\n')) == [
        ("code", "", "ulimit -n 65536")
    ]
    assert found(changed, edit('"egl"\n', '"egl"\n    echo \'open\n')) == [("code", "", "echo 'open")]


def test_the_exports_of_a_script():
    assert exports(["export A=1", "B=2", "export A='3 4'", "unset C"]) == {"A": "3 4"}
