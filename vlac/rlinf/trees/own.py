"""A version made from a tree: looked up in the tables for a known one, read from the tree itself for any other."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from vlac.errors import RefusedError
from vlac.rlinf.reads import Run, Tree, enumerations, read_tree
from vlac.rlinf.reads.cache import default_folder
from vlac.rlinf.templates import TEMPLATES
from vlac.rlinf.trees.difference import difference
from vlac.rlinf.trees.key_reads import key_reads
from vlac.rlinf.trees.openpi_configs import openpi_configs
from vlac.rlinf.trees.target import TreeTarget
from vlac.rlinf.trees.template import compose_template
from vlac.rlinf.trees.version_reads import version_reads
from vlac.rlinf.versions import DATA_OPTION_SECTIONS, SCHEDULES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vlac.models import DataConfig, Family
    from vlac.plan.origins import Value
    from vlac.rlinf.reads import Reads
    from vlac.rlinf.templates import Key
    from vlac.rlinf.trees.difference import Difference
    from vlac.rlinf.trees.recognise import Recognised
    from vlac.rlinf.versions import Version

_OPENPI = Run("sft", "openpi", "fsdp")
_MODEL: Key = ("actor", "model")
_UNREAD: Key = ("actor", "optim", "warmup_style")  # no RLinf that was looked at reads it; the configs set it


def version_of(found: Recognised, family: Family | None) -> Version:
    """The version that a recognised tree stands for. `family` is what is trained, None where a base decides that.

    Raises RefusedError where a tree that nobody has seen cannot train the family, or Hydra is needed and not installed.
    """
    nearest = found.nearest.version
    if found.code_is_known or (found.version and not _differs(found, family)):
        return replace(nearest, tree=TreeTarget(found))
    made = _from_code(found, nearest) if found.has_code else nearest
    target = TreeTarget(
        found,
        is_own=True,
        data_configs=_data_configs(found),
        template=_template(found, family) if family else None,
    )
    name = f"tree {found.digest[:9]}"
    return replace(
        made, name=name, commit="", described=f"a tree of its own, nearest to {nearest.name}", tree=target
    )


def reads_of(found: Recognised, run: Run) -> Reads:
    """What the tree's code reads for a kind of run. Raises RefusedError where it has no such run."""
    return read_tree(Tree(found.tree), run, folder=default_folder())


def difference_of(found: Recognised, run: Run) -> Difference:
    """How the keys differ from those of the nearest version.

    Raises RefusedError where the tree has no such run, or what the version reads for it is not kept.
    """
    known = version_reads(found.nearest.version, run)
    return difference(known, key_reads(Tree(found.tree), reads_of(found, run)))


def run_of(family: Family) -> Run:
    """The kind of run that a spec of a family is."""
    return Run("sft", family.model_type, "fsdp")


def _differs(found: Recognised, family: Family | None) -> bool:
    """Whether the edits of a known version change what the run reads or what words are accepted."""
    return found.has_code and not difference_of(found, run_of(family) if family else _OPENPI).is_empty


def _from_code(found: Recognised, nearest: Version) -> Version:
    """The nearest version with what the tree's code says otherwise."""
    tree = Tree(found.tree)
    words = enumerations(tree)
    loggers = words.get("logger_backends", nearest.loggers)
    schedulers = words.get("schedulers", nearest.schedules)
    return replace(
        nearest,
        schedules=tuple(schedule for schedule in SCHEDULES if schedule in schedulers),
        loggers=tuple(logger for logger in nearest.loggers if logger in loggers),
        data_option_sections=_option_sections(found, nearest),
        has_main_options=False,
    )


def _option_sections(found: Recognised, nearest: Version) -> tuple[Key, ...]:
    """The sections of data options that the code reads; the nearest version's where no openpi run can be read."""
    try:
        read = {read.key for read in reads_of(found, _OPENPI).reads}
    except RefusedError:
        return nearest.data_option_sections
    return tuple(section for section in DATA_OPTION_SECTIONS if section in read)


def _data_configs(found: Recognised) -> Mapping[str, DataConfig] | None:
    if not found.has_code:
        return None
    options: set[str] = set()
    with suppress(RefusedError):
        keys = (read.key for read in reads_of(found, _OPENPI).reads)
        options = {key[-1] for key in keys if key[:-1] in DATA_OPTION_SECTIONS}
    return openpi_configs(Tree(found.tree), tuple(sorted(options))) or None


def _template(found: Recognised, family: Family) -> Mapping[Key, Value] | None:
    """The tree's own configuration; None for an installed package, which has none, so that the table stands in."""
    if found.parts == {"rlinf"}:
        return None
    if family.template.startswith("model/"):
        leaves = compose_template(found.tree, family.template)
    else:
        leaves = _with_model(compose_template(found.tree, "model/pi0"), TEMPLATES[family.template])
    return {key: value for key, value in leaves.items() if key != _UNREAD}


def _with_model(leaves: Mapping[Key, Value], template: Mapping[Key, Value]) -> dict[Key, Value]:
    """A tree's configuration with a model of vlac's own in the place of its model."""
    model = {key: value for key, value in template.items() if key[:2] == _MODEL}
    return {**{key: value for key, value in leaves.items() if key[:2] != _MODEL}, **model}
