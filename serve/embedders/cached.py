"""Keeps the vectors of questions that were asked before: a conversation asks the same words of several routes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from memory.ports import Embedder, Floats


class CachedEmbedder:
    """See :class:`memory.ports.Embedder`. Least recently used leave first; texts are kept as hashes only. Passages are not cached."""

    def __init__(self, inner: Embedder, entries: int) -> None:
        self._inner = inner
        self._entries = entries
        self._kept: OrderedDict[bytes, Floats] = OrderedDict()
        self._lock = threading.Lock()
        self.name = inner.name
        self.dim = inner.dim

    def query(self, texts: Sequence[str]) -> Floats:
        """Shape (len(texts), dim); only texts not seen lately are embedded."""
        keys = [_key(text) for text in texts]
        found = {key: vector for key in keys if (vector := self._look_up(key)) is not None}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            fresh = self._inner.query(list(missing.values()))
            found.update(zip(missing, fresh, strict=True))
            self._keep(list(missing), fresh)
        return np.stack([found[key] for key in keys]) if keys else np.empty((0, self.dim), np.float32)

    def passage(self, texts: Sequence[str]) -> Floats:
        """Shape (len(texts), dim)."""
        return self._inner.passage(texts)

    def _look_up(self, key: bytes) -> Floats | None:
        with self._lock:
            if (vector := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
            return vector

    def _keep(self, keys: Sequence[bytes], vectors: Floats) -> None:
        with self._lock:
            for key, vector in zip(keys, vectors, strict=True):
                self._kept[key] = vector.copy()
            while len(self._kept) > self._entries:
                self._kept.popitem(last=False)


def _key(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
