"""The placeholders of RLinf's own configs: texts that a person was meant to replace."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from vlac.diagnostics import Diagnostic
from vlac.plan.origins import Layer
from vlac.rlinf.lower import field_of
from vlac.rlinf.over_base import ROLLOUT_WEIGHTS, WEIGHTS
from vlac.rlinf.override_checks import dotted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.plan.ir import RunPlan
    from vlac.plan.origins import Value
    from vlac.rlinf.leaves import Leaves
    from vlac.rlinf.templates import Key

# As the configs of v0.3 and main write them: `/path/to/model`, `path/to/model`, `path_to_your_model`, `<repo_id>`,
# `/dev/serial/by-id/your-gello-serial-port`, `${oc.env:NAME,/path/to/model}`, `MODEL_PATH`, `LEFT_ROBOT_IP`, `SERIAL1`.
_PLACEHOLDER = re.compile(
    r"(?:^|[/,\s])/?path[/_]to[/_]|<[A-Za-z][\w ]*>(?!\|)|(?:^|[/_-])your[_-][a-z]|(?:^|/)/?PATH/TO/",
    re.ASCII,
)
_CAPITALS = re.compile(
    r"(?:[A-Z0-9]+_)*(?:PATH|IP|PORT|SERIAL|POSE|CONNECTION|ID|DESCRIPTION|ENTITY)\d*(?:_[A-Z0-9]+)*",
    re.ASCII,
)
_LONGEST = 300  # characters; what is longer is a text, as a chat template


def is_placeholder(text: str) -> bool:
    """Whether a text is one that RLinf's configs leave for the user to replace."""
    if len(text) > _LONGEST or "\n" in text or text.startswith(("<|", "</")):
        return False
    return _PLACEHOLDER.search(text) is not None or _CAPITALS.fullmatch(text) is not None


def placeholders(leaves: Leaves) -> Iterator[tuple[Key, str]]:
    """The keys that still hold a placeholder, each with the first one in it."""
    for key, setting in leaves.items():
        found = next(filter(is_placeholder, _texts(setting.value)), None)
        if found is not None:
            yield key, found


def inherited(plan: RunPlan, leaves: Leaves) -> Iterator[Diagnostic]:
    """Warn of the placeholders that stay from a base: a run would be stopped by them."""
    written = plan.loaded.last("base")
    if plan.base is None or written is None:
        return
    for key, text in placeholders(leaves):
        origin = leaves[key].origin
        if origin.layer is Layer.BASE and not _follows_weights(key, leaves):
            message = f"{dotted(key)} keeps the placeholder {text} of the base ({origin.reason})"
            hint = (
                f"write {field_of(key) or dotted(key) + ' under overrides'}; vlac run stops at a placeholder"
            )
            code = "base-placeholder"
            yield Diagnostic(code, message, "warning", written.position, hint, written.excerpt)


def _follows_weights(key: Key, leaves: Leaves) -> bool:
    """Whether the rollout's weights are the actor's, whose message stands for both."""
    actor = leaves.get(WEIGHTS)
    return key == ROLLOUT_WEIGHTS and actor is not None and actor.value == leaves[key].value


def _texts(value: Value) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (text for item in value.values() for text in _texts(item))
    elif isinstance(value, (list, tuple)):
        yield from (text for item in value for text in _texts(item))
