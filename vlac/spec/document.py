"""docs/spec.md: the reference of the spec, made from the table of fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vlac.spec.fields import BY_PATH, FIELDS, GROUPS, SECTIONS, VERSION
from vlac.spec.types import WORDS, takes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vlac.spec.fields import Field

_HEAD = f"""\
# The run spec, version {VERSION}

<!-- Made by scripts/generate_docs.py from vlac/spec/fields.py; edit there. -->

A spec is YAML 1.2 in UTF-8. Seven lines are a training run:

```yaml
vlac: 1
name: pi05-libero10-sft
rlinf: {{path: /workspace/RLinf, version: "0.3"}}
model: {{family: pi05, weights: /data/pi05_base}}
data:  {{path: /data/libero10, config: pi05_libero}}
hardware: {{backend: ascend, device: 910B3, cards: 8}}
train: {{steps: 30000, micro_batch: 4, global_batch: 128, lr: 2.5e-5, warmup_steps: 1000}}
```

`vlac init` writes a commented one, `vlac schema` the JSON Schema for editors, `vlac plan SPEC` shows every
value with its origin, `vlac explain CODE` says what a message means.

## Rules

- **Types are strict.** A number is never a text. A whole number is digits alone: `30000`, not `3e4`, `30_000` or
  `012`. Versions and the values of `env` are taken as they are written, with or without quotes.
- **Every key means something.** An unknown one is an error; top-level keys that begin with `x-` are ignored and free
  for notes and anchors.
- **Null** is an error in a field (leave the key out). In a spec with `extends` it forgets what was inherited, in
  `overrides` it is a value, in `env` it leaves the variable to the shell.
- **Paths** of the machine that trains are absolute, or begin with `./` or `../` and mean the spec's folder. Nothing
  is expanded when a spec is compiled; `${{oc.env:NAME}}` may begin a path and is resolved at launch.
- **`extends`** is relative to the file that holds it. Parents from left to right, then the file itself; mappings
  merge by key, everything else replaces; `vlac` and `name` are not inherited; at most 8 levels.
- **`--backend B[:DEVICE]`** replaces `hardware.backend` and forgets `hardware.device`. **`--set path=VALUE`** sets one
  field, checked like the field; later ones win.
- **What wins:** RLinf's default, then the default below, the family and its data config, what the adapter prefers,
  `extends`, the spec, `--backend`, `--set`, `overrides`. `vlac explain SPEC KEY` shows this chain for a value.
- **Units:** steps are optimizer steps, batches are samples, `micro_batch` is per rank, `cards` per node.
"""


def spec_document() -> str:
    """The whole document."""
    return "\n".join([_HEAD, *_groups(), *_later()])


def _groups() -> Iterator[str]:
    for title, names in GROUPS:
        yield f"## {title}\n"
        single = [BY_PATH[name] for name in names if name in BY_PATH and not BY_PATH[name].later]
        if single:
            yield _table(single)
        for name in names:
            yield from (_section(path) for path in SECTIONS if path.split(".")[0] == name)


def _section(path: str) -> str:
    rows = [row for row in FIELDS if row.section == path and not row.later]
    return f"### `{path}`\n\n{SECTIONS[path]}\n\n{_table(rows)}"


def _table(rows: list[Field]) -> str:
    lines = ["| field | takes | default | what it is | RLinf |", "|---|---|---|---|---|"]
    lines += [f"| {' | '.join(_cell(cell) for cell in _row(row))} |" for row in rows]
    return "\n".join(lines) + "\n"


def _row(row: Field) -> tuple[str, ...]:
    about = f"{row.meaning[0].upper()}{row.meaning[1:]}. {row.rule}".strip()
    keys = ", ".join(f"`{key}`" for key in row.keys)
    rlinf = "; ".join(part for part in (keys, row.lowering) if part)
    return f"`{row.path}`", takes(row) if row.type in WORDS else "", _default(row), about, rlinf


def _default(row: Field) -> str:
    if row.required:
        return "required"
    if row.required_for:
        return "required for " + ", ".join(f"`{family}`" for family in row.required_for)
    if row.default is None:
        return ""
    value = list(row.default) if isinstance(row.default, tuple) else row.default
    text = str(value).lower() if isinstance(value, bool) else str(value).replace("'", "")
    return f"`{text}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _later() -> Iterator[str]:
    names = ", ".join(f"`{row.path}`" for row in FIELDS if row.later)
    yield f"## Kept for later\n\nNamed, but not offered yet by this version: {names}.\n"
