"""Which network card and which ports: what differs from node to node is set there, before `ray start`."""

from __future__ import annotations

from vlac.adapters import Variable
from vlac.variable_values import Form, Integer

_CANN = "CANN environment variable reference, envref_07_0{page}"
_PORTS = Form(
    r"auto|\d{1,5}(-\d{1,5})?(,\d{1,5}(-\d{1,5})?)*", "auto, or ports and ranges: 60000-60050,60100-60150"
)
_EXACT_NAMES = Form(r"[^=^,\s]+(,[^=^,\s]+)*", "exact names of network cards (eth0,eth1), without `=` or `^`")

NETWORK: tuple[Variable, ...] = (
    Variable(
        "HCCL_IF_IP",
        None,
        scope="node",
        why="the host address that HCCL listens on; wins over HCCL_SOCKET_IFNAME. Each node has its own, and one node "
        "needs none",
        source=_CANN.format(page="073"),
        by_node="differs",
        takes=Form(r"\d{1,3}(\.\d{1,3}){3}|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*", "one IPv4 or IPv6 address"),
    ),
    Variable(
        "HCCL_SOCKET_IFNAME",
        None,
        scope="node",
        by_node="may differ",
        why="the network card of HCCL where a host has several. RLinf sets it in each worker from "
        "RLINF_COMM_NET_DEVICES; one node needs none",
        source=f"{_CANN.format(page='075')}; RLinf v0.3, rlinf/scheduler/worker/worker.py",
        takes=Form(
            r"\^?=?[^=^,\s]+(,[^=^,\s]+)*",
            "names, or `=` and exact names, or `^` (`^=`) and names to leave out: =eth0",
        ),
    ),
    Variable(
        "GLOO_SOCKET_IFNAME",
        None,
        scope="node",
        by_node="may differ",
        why="the network card of gloo, which takes exact names only. RLinf sets it in each worker from "
        "RLINF_COMM_NET_DEVICES; one node needs none",
        source="PyTorch documentation, distributed, GLOO_SOCKET_IFNAME; RLinf v0.3, rlinf/scheduler/worker/worker.py",
        takes=_EXACT_NAMES,
    ),
    Variable(
        "TP_SOCKET_IFNAME",
        None,
        scope="node",
        by_node="may differ",
        why="the network card of torch's RPC, which this training does not use",
        source="vllm-ascend documentation, multi-node",
        takes=_EXACT_NAMES,
    ),
    Variable(
        "RLINF_COMM_NET_DEVICES",
        None,
        scope="node",
        by_node="may differ",
        why="on several nodes with several network cards: RLinf then sets HCCL_SOCKET_IFNAME and GLOO_SOCKET_IFNAME "
        "in each worker. gloo takes exact names only",
        source="RLinf v0.3, rlinf/scheduler/worker/worker.py",
        takes=_EXACT_NAMES,
    ),
    Variable(
        "HCCL_HOST_SOCKET_PORT_RANGE",
        "auto",
        scope="driver",
        why="the fixed ports from 60000 on are taken when another job or an old process is on the host",
        source=f"{_CANN.format(page='143')}; verl 1dda039b9, constants_ppo.py",
        takes=_PORTS,
        default="16 ports from HCCL_IF_BASE_PORT, 32 from CANN 8.2",
    ),
    Variable(
        "HCCL_NPU_SOCKET_PORT_RANGE",
        "auto",
        scope="driver",
        why="the fixed port 16666 serves one process a card; a second one on the same card cannot bind it",
        source=f"{_CANN.format(page='144')}; verl 1dda039b9, constants_ppo.py",
        takes=_PORTS,
        default="16666",
    ),
    Variable(
        "HCCL_IF_BASE_PORT",
        None,
        scope="driver",
        why="HCCL_HOST_SOCKET_PORT_RANGE, which vlac sets, wins over it",
        source=_CANN.format(page="074"),
        takes=Integer(1024, 65520),
        default="60000",
    ),
)
