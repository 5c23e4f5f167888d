"""An embedder that remembers: the same text is embedded once, across runs and processes, in one SQLite file."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from memory.ports import Embedder, Floats
from schemas.settings import Embedding

_PATIENCE_S = 60.0
_PROBE = "老马识途 the old horse knows the way"


class CachedEmbedder:
    """Wraps an embedder; vectors are kept in ``folder/embeddings.sqlite`` by model, ``mark``, side and text hash. Thread-safe.

    The wrapped embedder is made on the first miss only. Texts are embedded one by one: what a text's vector is never depends on its
    neighbours in a batch, so figures are equal from run to run.
    """

    def __init__(self, make: Callable[[], Embedder], folder: Path, *, name: str, dim: int, mark: str = "") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.name, self.dim = name, dim
        self._mark = mark
        self._make = make
        self._inner: Embedder | None = None
        self._lock = threading.Lock()
        self._rows = sqlite3.connect(folder / "embeddings.sqlite", timeout=_PATIENCE_S, check_same_thread=False, isolation_level=None)
        self._rows.execute("PRAGMA journal_mode=WAL")
        self._rows.execute("PRAGMA synchronous=OFF")  # a cache: what a power cut takes is embedded again
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
            with self._lock:
                out[row] = self._one(text, side)
        return out

    def _one(self, text: str, side: str) -> Floats:
        key = hashlib.blake2b(f"{self.name}\0{self._mark}\0{side}\0{text}".encode("utf-8", "surrogatepass"), digest_size=16).digest()
        known = self._rows.execute("SELECT vector FROM vectors WHERE key = ?", (key,)).fetchone()
        if known is not None:
            return np.frombuffer(known[0], dtype=np.float32)
        if self._inner is None:
            self._inner = self._make()
        made = self._inner.query([text]) if side == "query" else self._inner.passage([text])
        vector = np.asarray(made[0], dtype=np.float32)
        self._rows.execute("INSERT OR IGNORE INTO vectors VALUES (?, ?)", (key, vector.tobytes()))
        return vector


def configured(settings: Embedding, folder: Path) -> CachedEmbedder:
    """The embedder of the settings, the one that serves, behind a cache in ``folder``.

    Its mark is how it embeds one text: another implementation of the same model, whose vectors compare, never answers with former ones.
    """
    from serve.embedders import build

    embedder = build(settings)
    mark = hashlib.blake2b(embedder.passage([_PROBE])[0].astype(np.float16).tobytes(), digest_size=8).hexdigest()
    return CachedEmbedder(lambda: embedder, folder, name=settings.model, dim=settings.dim, mark=mark)


def bundled(folder: Path) -> CachedEmbedder:
    """The bundled embedder behind a cache in ``folder``."""
    return configured(Embedding(), folder)
