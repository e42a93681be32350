"""vlac compiles a short YAML spec into a complete RLinf training run for Ascend, CUDA or CPU.

    >>> import vlac
    >>> bundle = vlac.compile("specs/pi05_libero10_8x910b3.yaml")  # doctest: +SKIP
    >>> sorted(bundle.files)  # doctest: +SKIP
    ['bootstrap/...', 'config.yaml', 'launch.sh', 'run.env', 'vlac.lock.json']

Both functions print nothing and never exit; a wrong spec raises `vlac.errors.SpecError` with every diagnostic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from vlac.bundle import Bundle

__all__ = ["__version__", "compile", "compile_text"]

__version__ = "0.1.0"


def compile(path: str | os.PathLike[str], *, backend: str | None = None, sets: Sequence[str] = ()) -> Bundle:
    """Compile the spec file at `path`.

    `backend` and `sets` are what `--backend` and `--set` are on the command line (`"cuda:H100"`, `"train.lr=1e-5"`).
    Raises `SpecError` with all problems at once; a file that cannot be read is one of them.
    """
    from pathlib import Path

    from vlac.compiler import compile_path

    return compile_path(Path(path), backend=backend, sets=sets)


def compile_text(
    text: str, *, folder: str | os.PathLike[str], backend: str | None = None, sets: Sequence[str] = ()
) -> Bundle:
    """Compile a spec given as text; `folder` is where its `extends` and relative paths start from.

    Raises `SpecError` with all problems at once.
    """
    from pathlib import Path

    from vlac.compiler import compile_spec_text

    return compile_spec_text(text, Path(folder), backend=backend, sets=sets)
