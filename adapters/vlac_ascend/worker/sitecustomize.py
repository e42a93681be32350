"""Switch torch.cuda over to the NPU in every Python process of the run, when `import torch` ends.

Python runs this file at start-up because `bootstrap/` is on PYTHONPATH. torch_npu does the switch by
itself from 26.0.0 on (TORCH_TRANSFER_TO_NPU=1); this hook does it for every version, and the two together
do it once. A process that never imports torch pays one comparison of names an import.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # typing alone would cost every process of the run some milliseconds
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.abc import Loader
    from importlib.machinery import ModuleSpec
    from types import ModuleType

_SWITCH = "torch_npu.contrib.transfer_to_npu"


class _AfterTorch:
    """An import finder that runs the switch when torch, and torch_npu if it is under way, are complete.

    Either may be imported first: torch loads torch_npu as a plug-in at its end, and torch_npu starts with
    `import torch`. The switch needs both of them whole.
    """

    watched = ("torch", "torch_npu")

    def __init__(self) -> None:
        self.unfinished: set[str] = set()

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module's own spec, with a loader that reports its end; None for all other modules."""
        if name not in self.watched:
            return None
        spec = self._next_spec(name, path, target)
        if spec is not None and spec.loader is not None and hasattr(spec.loader, "exec_module"):
            self._report_end(name, spec.loader)
        return spec

    def _next_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None
    ) -> ModuleSpec | None:
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)
            if finder is self or find is None:
                continue
            spec: ModuleSpec | None = find(name, path, target)
            if spec is not None:
                return spec
        return None

    def _report_end(self, name: str, loader: Loader) -> None:
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            self.unfinished.add(name)
            try:
                execute(module)
            finally:
                self.unfinished.discard(name)
            self._finished()

        # On the instance: its class, and with it what inspect and importlib.resources see, stays.
        loader.exec_module = exec_module  # type: ignore[method-assign]  # as said above

    def _finished(self) -> None:
        if not self.unfinished and "torch" in sys.modules:
            _switch_to_npu()


def _switch_to_npu() -> None:
    """Import the module that does the switch; importing it again changes nothing.

    Raises RuntimeError where torch_npu is there and does not load: an ImportError out of `import torch` is
    taken by many libraries for a missing torch, and they would go on without it.
    """
    try:
        __import__(_SWITCH)
    except ModuleNotFoundError as error:
        if error.name != "torch_npu":
            raise RuntimeError(_broken(error)) from error
        _say_missing()
    except Exception as error:
        raise RuntimeError(_broken(error)) from error


def _say_missing() -> None:
    """No error: it may be a simulator or a tool with a torch of its own. A worker refuses to start."""
    text = f"vlac: {sys.executable} has torch but no torch_npu: this process does not use the NPU"
    print(text, file=sys.stderr)


def _broken(error: Exception) -> str:
    return (
        f"{_SWITCH} does not load: {type(error).__name__}: {error} "
        "(is CANN's set_env.sh sourced before `ray start`, and does torch_npu fit torch?)"
    )


def _run_shadowed() -> None:
    """Run the environment's own sitecustomize, which this file hides by standing before it on sys.path."""
    from importlib.machinery import PathFinder

    entries = list(sys.path)
    while entries and not _is_here(entries.pop(0)):
        pass
    spec = PathFinder.find_spec("sitecustomize", entries)
    if spec is None or spec.loader is None:
        return
    from importlib.util import module_from_spec  # loads a dozen modules; most environments get by without

    spec.loader.exec_module(module_from_spec(spec))


def _is_here(entry: str) -> bool:
    here = os.path.dirname(os.path.realpath(__file__))  # noqa: PTH120  # pathlib costs every process its import
    return os.path.realpath(entry) == here


def _install() -> None:
    """Once a process: a second bundle on the path, or a sitecustomize that runs this one, finds it done."""
    if any(getattr(finder, "watched", None) == _AfterTorch.watched for finder in sys.meta_path):
        return
    sys.meta_path.insert(0, _AfterTorch())
    if "torch" in sys.modules:  # a .pth file may have imported it
        _switch_to_npu()
    _run_shadowed()


_install()
