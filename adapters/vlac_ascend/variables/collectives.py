"""HCCL: time-outs, memory, algorithms."""

from __future__ import annotations

from vlac.adapters import Variable
from vlac.variable_values import Choice, Form, Integer

_CANN = "CANN environment variable reference, envref_07_00{page}"
_TORCH_NPU = "torch_npu documentation, environment variables, {name}"
_LONGEST = 2147483647
_SWITCH = Choice(("0", "1"))

COLLECTIVES: tuple[Variable, ...] = (
    Variable(
        "HCCL_CONNECT_TIMEOUT",
        "1800",
        scope="driver",
        why="seconds; ranks load gigabytes of weights and compile operators at their own pace, 120 s are too few",
        source=_CANN.format(page="77"),
        takes=Integer(120, 7200, "seconds; CANN 8.2 and later wait 20 more"),
        default="120",
    ),
    Variable(
        "HCCL_EXEC_TIMEOUT",
        "3600",
        scope="driver",
        why="seconds; the other ranks wait in a collective while rank 0 gathers and writes a checkpoint",
        source=f"{_CANN.format(page='78')}; Ascend/pytorch 9e73e708a, HCCL_timeout.md",
        takes=Integer(0, _LONGEST, "seconds, 0: for ever"),
        default="1836",
    ),
    Variable(
        "HCCL_EVENT_TIMEOUT",
        "3660",
        scope="driver",
        why="seconds; has to be longer than HCCL_EXEC_TIMEOUT, or the event ends before HCCL names the rank",
        source=_TORCH_NPU.format(name="HCCL_EVENT_TIMEOUT"),
        takes=Integer(0, _LONGEST, "seconds, 0: for ever"),
        default="1868",
    ),
    Variable(
        "HCCL_WHITELIST_DISABLE",
        "1",
        scope="driver",
        why="a 0 from the shell would make HCCL ask for a file that lists the allowed peers",
        source=_CANN.format(page="85"),
        takes=Choice(("0", "1"), "1: peers are not checked"),
        default="1",
    ),
    Variable(
        "HCCL_WHITELIST_FILE",
        None,
        scope="node",
        why="read only with HCCL_WHITELIST_DISABLE=0",
        source=_CANN.format(page="85"),
        takes=Form(r"/.+", "an absolute path"),
    ),
    Variable(
        "HCCL_OP_EXPANSION_MODE",
        None,
        scope="driver",
        why="the device's default is the one for training; AIV is for inference on one group of ranks",
        source=_CANN.format(page="96"),
        takes=Choice(("AI_CPU", "AIV", "HOST", "HOST_TS"), "A2: HOST, HOST_TS, AIV; A3: AI_CPU, AIV"),
        default="HOST on A2, AI_CPU on A3",
    ),
    Variable(
        "HCCL_BUFFSIZE",
        None,
        scope="driver",
        why="each group of ranks takes twice as much of the card's memory; the default fits full shard",
        source=_CANN.format(page="80"),
        takes=Integer(1, unit="MB"),
        default="200",
    ),
    Variable(
        "P2P_HCCL_BUFFSIZE",
        None,
        scope="driver",
        why="for sends between two ranks, which full shard does not use",
        source=_TORCH_NPU.format(name="P2P_HCCL_BUFFSIZE"),
        takes=Integer(0, unit="MB, 0: share the collectives' buffer"),
        default="20",
    ),
    Variable(
        "HCCL_DETERMINISTIC",
        None,
        scope="driver",
        why="sums in a fixed order are slower; true is for tests that compare two runs bit by bit",
        source="CANN environment variable reference, HCCL_DETERMINISTIC",
        takes=Choice(("true", "false", "strict")),
        default="false",
    ),
    Variable(
        "TORCH_HCCL_ASYNC_ERROR_HANDLING",
        None,
        scope="driver",
        why="the default ends a rank when another one failed",
        source=_TORCH_NPU.format(name="HCCL_ASYNC_ERROR_HANDLING"),
        takes=Choice(("0", "1"), "0: the other ranks wait for ever"),
        default="1",
    ),
    Variable(
        "HCCL_ASYNC_ERROR_HANDLING",
        None,
        scope="driver",
        why="the older name of TORCH_HCCL_ASYNC_ERROR_HANDLING",
        source=_TORCH_NPU.format(name="HCCL_ASYNC_ERROR_HANDLING"),
        takes=Choice(("0", "1"), "0: the other ranks wait for ever"),
        default="1",
    ),
    Variable(
        "RANK_TABLE_FILE",
        None,
        scope="node",
        why="RLinf's ranks find each other; a table from another job would give them wrong numbers",
        source=_TORCH_NPU.format(name="RANK_TABLE_FILE"),
    ),
    Variable(
        "HCCL_INTRA_ROCE_ENABLE",
        None,
        scope="driver",
        why="HCCL chooses the link between the cards of a node; it cannot be on together with the one over PCIe",
        source="CANN environment variable reference, HCCL_INTRA_ROCE_ENABLE",
        takes=_SWITCH,
    ),
    Variable(
        "HCCL_INTRA_PCIE_ENABLE",
        None,
        scope="driver",
        why="HCCL chooses the link between the cards of a node; it cannot be on together with the one over RoCE",
        source="CANN environment variable reference, HCCL_INTRA_PCIE_ENABLE",
        takes=_SWITCH,
    ),
)
