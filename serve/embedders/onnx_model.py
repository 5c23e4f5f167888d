"""Writes an ONNX model file: the few messages of its protobuf that a graph needs, so that no converter has to be installed.

Field numbers: ``onnx/onnx.proto`` of ONNX 1.16 (IR version 10).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

_IR_VERSION = 10
_DOMAINS = {"": 21, "com.microsoft": 1}
_TYPES = {"float32": 1, "int8": 3, "int64": 7}
_VARINT, _BYTES, _FIXED32 = 0, 2, 5
_ATTRIBUTE_FLOAT, _ATTRIBUTE_INT = 1, 2


@dataclass
class Graph:
    """A graph as it grows: ``node`` and ``constant`` return the names of what they add, ``to_bytes`` is the model file."""

    name: str
    _nodes: list[bytes] = field(default_factory=list)
    _constants: list[bytes] = field(default_factory=list)

    def constant(self, name: str, value: NDArray[np.generic]) -> str:
        """A weight: float32, int8 or int64."""
        dims = b"".join(_number(1, size) for size in value.shape)
        raw = np.ascontiguousarray(value).tobytes()
        self._constants.append(dims + _number(2, _TYPES[value.dtype.name]) + _text(8, name) + _chunk(9, raw))
        return name

    def node(
        self,
        op: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        domain: str = "",
        **attributes: float,
    ) -> str:
        """An operator; an empty input name leaves that input out. Returns the first output."""
        parts = [*(_text(1, name) for name in inputs), *(_text(2, name) for name in outputs), _text(4, op)]
        parts += [_chunk(5, _attribute(name, value)) for name, value in attributes.items()]
        self._nodes.append(b"".join(parts) + _text(7, domain))
        return outputs[0]

    def to_bytes(self, inputs: dict[str, Sequence[int | str]], outputs: dict[str, Sequence[int | str]]) -> bytes:
        """The model; inputs and outputs are float32, named with their shapes (a word: any size)."""
        graph = b"".join(
            [
                *(_chunk(1, node) for node in self._nodes),
                _text(2, self.name),
                *(_chunk(5, constant) for constant in self._constants),
                *(_chunk(11, _value(name, shape)) for name, shape in inputs.items()),
                *(_chunk(12, _value(name, shape)) for name, shape in outputs.items()),
            ]
        )
        domains = b"".join(_chunk(8, _text(1, domain) + _number(2, version)) for domain, version in _DOMAINS.items())
        return _number(1, _IR_VERSION) + _chunk(7, graph) + domains


def _attribute(name: str, value: float) -> bytes:
    if isinstance(value, float):
        return _text(1, name) + _key(2, _FIXED32) + struct.pack("<f", value) + _number(20, _ATTRIBUTE_FLOAT)
    return _text(1, name) + _number(3, value) + _number(20, _ATTRIBUTE_INT)


def _value(name: str, shape: Sequence[int | str]) -> bytes:
    dims = b"".join(_chunk(1, _text(2, size) if isinstance(size, str) else _number(1, size)) for size in shape)
    return _text(1, name) + _chunk(2, _chunk(1, _number(1, _TYPES["float32"]) + _chunk(2, dims)))


def _number(number: int, value: int) -> bytes:
    return _key(number, _VARINT) + bytes(_varint(value))


def _text(number: int, value: str) -> bytes:
    return _chunk(number, value.encode())


def _chunk(number: int, value: bytes) -> bytes:
    return _key(number, _BYTES) + bytes(_varint(len(value))) + value


def _key(number: int, kind: int) -> bytes:
    return bytes(_varint(number << 3 | kind))


def _varint(value: int) -> Iterator[int]:
    value &= (1 << 64) - 1
    while value > 0x7F:
        yield value & 0x7F | 0x80
        value >>= 7
    yield value
