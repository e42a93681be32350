"""Code that driver and workers need beside RLinf, copied from the package; nothing of it is imported here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from vlac.bundle import launch_sh
from vlac.errors import VlacError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from vlac.plan.ir import RunPlan

# Plain paths: `importlib.resources` takes longer to import than all the files to read (an installed wheel is
# always unpacked).
_PACKAGE = Path(__file__).parent.parent
_WORKER = _PACKAGE / "rlinf" / "worker"
_DEMO = _PACKAGE / "demo"


def bootstrap_files(plan: RunPlan) -> Mapping[str, bytes]:
    """The files of `bootstrap/` by their path in it, in order of name; none where the plan needs none.

    Raises VlacError where a file of the adapter has the name of one of vlac's.
    """
    files = {file.path: file.content for file in plan.worker_files}
    for path, content in _own_files(plan):
        if path in files:
            raise VlacError(f"the adapter {plan.adapter.name} brings `{path}`, a name that is vlac's own")
        files[path] = content
    return dict(sorted(files.items()))


def _own_files(plan: RunPlan) -> Iterator[tuple[str, bytes]]:
    is_demo = plan.family.name == "demo"
    if plan.worker_hooks or is_demo:
        yield "vlac_worker.py", (_WORKER / "vlac_worker.py").read_bytes()
    # RLinf's package from PyPI has no `examples/`, and RLinf's own script knows no worker for the demo.
    if launch_sh.entry(plan) == launch_sh.BUNDLE_ENTRY:
        yield "train_vla_sft.py", (_WORKER / "train_vla_sft.py").read_bytes()
    if is_demo:
        for path in _DEMO.glob("*.py"):
            yield f"vlac_demo/{path.name}", path.read_bytes()
