"""Scalars from tensorboard event files, without tensorboard.

A file is a sequence of TFRecords (length, checksum, data, checksum), each an `Event` message whose summary holds
tags and 32-bit values (tensorflow/core: lib/io/record_writer.cc, util/event.proto, framework/summary.proto).
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_STEP, _SUMMARY = 2, 5  # fields of Event
_VALUE = 1  # field of Summary
_TAG, _SIMPLE_VALUE = 1, 2  # fields of Summary.Value

Field = tuple[int, "int | float | bytes"]


def scalars(folder: Path) -> dict[str, dict[int, float]]:
    """Tag to step to value, from all event files in `folder`; a later file wins. Steps count as the writer did."""
    found: dict[str, dict[int, float]] = {}
    for path in sorted(folder.glob("events.out.tfevents.*")):
        for record in _records(path.read_bytes()):
            step, values = _event(record)
            for tag, value in values:
                found.setdefault(tag, {})[step] = value
    return found


def _records(content: bytes) -> Iterator[bytes]:
    """The records of a file; one that was cut off by a kill ends it."""
    place = 0
    while place + 12 <= len(content):
        (length,) = struct.unpack_from("<Q", content, place)
        begin, place = place + 12, place + 16 + length
        if place > len(content):
            return
        yield content[begin : begin + length]


def _event(record: bytes) -> tuple[int, list[tuple[str, float]]]:
    step, values = 0, []
    for number, value in _fields(record):
        if number == _STEP and isinstance(value, int):
            step = value
        elif number == _SUMMARY and isinstance(value, bytes):
            values += [
                _scalar(item) for key, item in _fields(value) if key == _VALUE and isinstance(item, bytes)
            ]
    return step, [(tag, number) for tag, number in values if number is not None]


def _scalar(message: bytes) -> tuple[str, float | None]:
    fields = dict(_fields(message))
    tag, value = fields.get(_TAG, b""), fields.get(_SIMPLE_VALUE)
    assert isinstance(tag, bytes)
    return tag.decode(errors="replace"), value if isinstance(value, float) else None


def _fields(message: bytes) -> Iterator[Field]:
    """The fields of a protobuf message: number and value, a nested message as bytes."""
    place = 0
    while place < len(message):
        key, place = _varint(message, place)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, place = _varint(message, place)
            yield number, value
        elif kind == 1:
            yield number, struct.unpack_from("<d", message, place)[0]
            place += 8
        elif kind == 2:
            length, place = _varint(message, place)
            yield number, message[place : place + length]
            place += length
        elif kind == 5:
            yield number, struct.unpack_from("<f", message, place)[0]
            place += 4
        else:
            return


def _varint(message: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[place]
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return value, place
