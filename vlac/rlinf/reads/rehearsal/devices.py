"""What the rehearsal is told of the cluster instead of asking Ray: nodes, and the accelerators of each.

The resources that a placement counts are the accelerators of all nodes; of nodes without accelerators, the nodes
themselves; of the group `node`, always the nodes (RLinf 0.3 and main at a3816b596,
`rlinf/scheduler/placement/placement.py` and `rlinf/scheduler/cluster/node.py`). How placements are read from
`cluster.component_placement` is the tree's own code, which is followed like any other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vlac.rlinf.reads.rehearsal.records import Object
from vlac.rlinf.reads.rehearsal.sections import ListSection, Section
from vlac.rlinf.reads.rehearsal.values import NONE, ClassRef, Value, unknown

if TYPE_CHECKING:
    from collections.abc import Hashable

    from vlac.rlinf.reads.rehearsal.values import Code
    from vlac.rlinf.reads.rehearsal.world import World

NOT_MADE = frozenset({"NodeProbe"})  # asks Ray what the nodes have
_MACHINERY = tuple(
    f"rlinf.scheduler.{part}" for part in ("manager", "channel", "collective", "worker", "dynamic")
)
_ALL, _NODES = "cluster", "node"


@dataclass(frozen=True)
class Devices:
    """The accelerators of each node, None where that is not known; 0 is a cluster without any."""

    accelerators: int | None = None
    nodes: int | None = None  # None: what `cluster.num_nodes` says


def is_machinery(code: Code) -> bool:
    """Whether a function moves data between Ray's processes, which hangs on no configuration."""
    return code.module.name.startswith(_MACHINERY)


def fact(world: World, code: Code, positional: tuple[Value, ...], keywords: dict[str, Value]) -> Value | None:
    """What a function of the cluster returns, None where it is no such function and is followed."""
    if code.owner is None or code.owner.definition.name != "Cluster":
        return None
    if code.name == "get_node_group":
        label = positional[1] if len(positional) > 1 else keywords.get("label", Value(_ALL))
        return _group(world, label)
    if code.name == "num_accelerators":
        return _count(world, accelerators=True)
    return None


def _count(world: World, *, accelerators: bool) -> Value:
    nodes = _nodes(world)
    each = world.devices.accelerators
    if not isinstance(nodes.data, int) or (accelerators and each is None):
        return unknown(nodes)
    keys = nodes.keys | {("cluster", "component_placement")}
    return Value(nodes.data * (each or 0) if accelerators else nodes.data, keys)


def _nodes(world: World) -> Value:
    if world.devices.nodes is not None:
        return Value(world.devices.nodes)
    cluster = _cluster(world)
    return cluster.slots.get("num_nodes", unknown()) if cluster is not None else unknown()


def _cluster(world: World) -> Section | None:
    found = world.config.slots.get("cluster", NONE).data if world.config is not None else None
    return found if isinstance(found, Section) else None


def _group(world: World, label: Value) -> Value:
    """A group of nodes, with the facts that placements ask for."""
    module = world.tree.module("rlinf.scheduler.cluster.node")
    definition = module.definitions.get("NodeGroupInfo") if module is not None else None
    if module is None or definition is None or not label.known:
        return unknown(label)
    made = ClassRef(module.name, definition)  # type: ignore[arg-type] # a class, in every tree that has it
    if label.data is None or str(label.data) == _ALL:
        return Value(Object(made, {"label": Value(_ALL), **_resources(world)}), label.keys)
    if str(label.data) == _NODES:
        count = _count(world, accelerators=False)
        slots: dict[Hashable, Value] = {
            "label": Value(_NODES),
            "hardware_resource_count": count,
            "hardware_type": NONE,
        }
        return Value(Object(made, slots), label.keys)
    return _named_group(world, made, label)


def _resources(world: World) -> dict[Hashable, Value]:
    each = world.devices.accelerators
    if each is None:
        return {"hardware_resource_count": unknown(), "hardware_type": unknown()}
    kind = Value("accelerator") if each else NONE
    return {"hardware_resource_count": _count(world, accelerators=bool(each)), "hardware_type": kind}


def _named_group(world: World, made: ClassRef, label: Value) -> Value:
    """A group of `cluster.node_groups`, None where there is none: what it has is known once its nodes are asked."""
    cluster = _cluster(world)
    groups = cluster.slots.get("node_groups", NONE) if cluster is not None else unknown()
    items = groups.data.items if isinstance(groups.data, ListSection) else ()
    if not groups.known or items is None:
        return unknown(label)
    labels = [item.data.slots.get("label", NONE) for item in items if isinstance(item.data, Section)]
    if any(not one.known or "${" in str(one.data) for one in labels):
        return unknown(label, groups)
    if str(label.data) not in {str(one.data) for one in labels}:
        return NONE.and_of(label, groups)
    slots: dict[Hashable, Value] = {
        "label": label,
        "hardware_resource_count": unknown(),
        "hardware_type": unknown(),
    }
    return Value(Object(made, slots), label.keys)
