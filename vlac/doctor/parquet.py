"""Parquet files: whole or not, by their first and last bytes; columns by pyarrow, which is imported only here.

Format: https://parquet.apache.org/docs/file-format/: `PAR1`, data, footer, `PAR1`.
Pointers: https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

MAGIC = b"PAR1"
POINTER = b"version https://git-lfs.github.com/spec/"
_LEAST = 12  # two magics and the length of the footer
INSTALL = "pip install 'vla-compiler[data]'"


class MissingPyarrow(Exception):  # noqa: N818 - it is an absence, not a fault
    """pyarrow is not installed where vlac runs."""


class ParquetError(Exception):
    """A parquet file cannot be read; the message names it."""


def complaint(file: Path) -> str | None:
    """What is wrong with a parquet file as far as its ends tell: `missing`, `empty`, `a Git LFS pointer`, `cut off`."""
    try:
        with file.open("rb") as opened:
            head = opened.read(len(POINTER))
            size = opened.seek(0, 2)
            if size >= _LEAST:
                opened.seek(-len(MAGIC), 2)
                tail = opened.read()
    except OSError:
        return "missing"
    if size == 0:
        return "empty"
    if head == POINTER:
        return "a Git LFS pointer"
    if not head.startswith(MAGIC):
        return "no parquet"
    return None if size >= _LEAST and tail == MAGIC else "cut off"


def pointer_or_empty(file: Path) -> str | None:
    """As `complaint`, for a file of any other kind, as a video."""
    try:
        if file.stat().st_size > 1024:  # a pointer is a few lines
            return None
        with file.open("rb") as opened:
            head = opened.read(len(POINTER))
    except OSError:
        return "missing"
    return "a Git LFS pointer" if head == POINTER else None if head else "empty"


def pyarrow_parquet() -> Any:  # noqa: ANN401 - a module that is not always installed
    """The module pyarrow.parquet. Raises MissingPyarrow."""
    try:
        import pyarrow.parquet as module
    except ImportError as problem:
        raise MissingPyarrow from problem
    return module


def rows(file: Path, names: tuple[str, ...] | None = None) -> list[dict[str, Any]]:  # a row of any columns
    """The rows of a small file. Raises ParquetError, MissingPyarrow."""
    module = pyarrow_parquet()
    try:
        with module.ParquetFile(file) as opened:
            found: list[dict[str, Any]] = opened.read(columns=list(names) if names else None).to_pylist()
    except (OSError, ValueError) as problem:  # pyarrow's ArrowInvalid is a ValueError
        raise ParquetError(f"{file.name}: {_first_line(problem)}") from problem
    missing = [name for name in names or () if found and name not in found[0]]
    if missing:
        raise ParquetError(f"{file.name} has no column {', '.join(missing)}")
    return found


def row_count(file: Path) -> int:
    """The rows of a file, from its footer. Raises ParquetError, MissingPyarrow."""
    module = pyarrow_parquet()
    try:
        return int(module.read_metadata(file).num_rows)
    except (OSError, ValueError) as problem:
        raise ParquetError(f"{file.name}: {_first_line(problem)}") from problem


def _first_line(problem: BaseException) -> str:
    return str(problem).splitlines()[0] if str(problem) else type(problem).__name__


def slice_of(file: Path, name: str, start: int, length: int) -> list[float]:
    """`length` values of a column of numbers, from row `start`. Raises ParquetError, MissingPyarrow."""
    module = pyarrow_parquet()
    try:
        with module.ParquetFile(file) as opened:
            column = opened.read(columns=[name]).column(name)
            return [float(value) for value in column.slice(start, length).to_pylist()]
    except (OSError, ValueError, KeyError) as problem:
        raise ParquetError(f"{file.name}: {_first_line(problem)}") from problem


def vectors(file: Path, names: tuple[str, ...]) -> dict[str, Any]:
    """Columns of numbers or of lists of numbers, each as a 32-bit numpy array (rows, entries).

    Raises ParquetError, MissingPyarrow.
    """
    module = pyarrow_parquet()
    try:
        with module.ParquetFile(file) as opened:
            table = opened.read(columns=list(names))
            return {name: _matrix(table.column(name), table.num_rows) for name in names}
    except (OSError, ValueError, KeyError) as problem:
        raise ParquetError(f"{file.name}: {_first_line(problem)}") from problem


def _matrix(column: Any, rows: int) -> Any:  # noqa: ANN401 - a pyarrow column, a numpy array: both are extras
    """Raises ValueError where rows differ in length or hold no numbers."""
    import numpy as np

    values = column.combine_chunks()
    while hasattr(values, "flatten") and hasattr(values.type, "value_type"):
        values = values.flatten()
    return np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.float32).reshape(rows, -1)
