"""CANN: operator compilers, caches, logs, and the paths that its set_env.sh sets."""

from __future__ import annotations

from vlac.adapters import Variable
from vlac.variable_values import Choice, Form, Integer

_CANN = "CANN environment variable reference, {name}"
_TORCH_NPU = "torch_npu documentation, environment variables, {name}"
_RECIPE = "hicann/cann-recipes-embodied-intelligence, manipulation/pi0/train"
_PATH = Form(r"/.+", "an absolute path")


def _of_set_env(name: str, what: str) -> Variable:
    """A path that the workers inherit from `ray start`, so that the script is sourced on each node before."""
    return Variable(
        name,
        None,
        scope="node",
        why=f"{what}; CANN's set_env.sh sets it on each node before `ray start`, and launch.sh sources that",
        source="CANN software installation guide, set_env.sh",
        takes=_PATH,
    )


CANN: tuple[Variable, ...] = (
    Variable(
        "TE_PARALLEL_COMPILER",
        "1",
        scope="driver",
        why="operator compilers in parallel can wait for each other for ever in the first step",
        source=_CANN.format(name="TE_PARALLEL_COMPILER"),
        takes=Integer(1, 32, "compilers at once, at most 0.8 x cores / NPUs"),
        default="8",
    ),
    Variable(
        "ASCEND_GLOBAL_LOG_LEVEL",
        "3",
        scope="driver",
        why="errors only; a lower level that the shell left behind writes gigabytes below ~/ascend/log",
        source=_CANN.format(name="ASCEND_GLOBAL_LOG_LEVEL"),
        takes=Choice(("0", "1", "2", "3", "4"), "debug, info, warning, error, nothing"),
        default="3",
    ),
    Variable(
        "ASCEND_SLOG_PRINT_TO_STDOUT",
        None,
        scope="driver",
        why="1 prints CANN's log, which Ray carries from every worker into the log of the run",
        source="CANN environment variable reference, envref_07_0121",
        takes=Choice(("0", "1")),
        default="0",
    ),
    Variable(
        "ASCEND_PROCESS_LOG_PATH",
        None,
        scope="node",
        why="a folder of the node; the logs of several jobs mix in the default one",
        source=_CANN.format(name="ASCEND_PROCESS_LOG_PATH"),
        takes=_PATH,
        default="~/ascend/log",
    ),
    Variable(
        "ACL_OP_COMPILER_CACHE_DIR",
        None,
        scope="node",
        why="a folder on a disk of the node: one that several nodes share is locked and damaged",
        source=_TORCH_NPU.format(name="ACL_OP_COMPILER_CACHE_DIR"),
        takes=_PATH,
        default="$HOME/atc_data",
    ),
    Variable(
        "ACL_OP_COMPILER_CACHE_MODE",
        None,
        scope="driver",
        why="the default keeps compiled operators for the next run",
        source=_TORCH_NPU.format(name="ACL_OP_COMPILER_CACHE_MODE"),
        takes=Choice(("enable", "disable", "force"), "force: compile anew"),
        default="enable",
    ),
    Variable(
        "ACLNN_CACHE_LIMIT",
        None,
        scope="driver",
        why="the training recipe for pi0 takes 100000, so that operators of all shapes stay prepared",
        source=_RECIPE,
        takes=Integer(1),
    ),
    Variable(
        "HOST_CACHE_CAPACITY",
        None,
        scope="driver",
        why="the training recipe for pi0 takes 20; a matter of speed",
        source=_RECIPE,
        takes=Integer(0),
    ),
    _of_set_env("ASCEND_HOME_PATH", "where CANN lies; torch_npu refuses to load without it"),
    _of_set_env("ASCEND_TOOLKIT_HOME", "where the toolkit lies; launch.sh looks for set_env.sh there first"),
    _of_set_env("ASCEND_OPP_PATH", "where the operators lie"),
    _of_set_env("ASCEND_AICPU_PATH", "where the operators for the card's CPU lie"),
)
