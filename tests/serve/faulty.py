"""Parts that fail on demand around real ones."""

from __future__ import annotations

from collections.abc import Sequence

from memory.ports import Embedder, Floats


class FaultyEmbedder:
    """The real embedder, but ``fault`` is raised for passages: the next ``times``, or those whose text holds ``only``."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.name, self.dim = inner.name, inner.dim
        self.fault: Exception | None = None
        self.times = 10**9
        self.only = ""
        self.passages: list[str] = []

    def query(self, texts: Sequence[str]) -> Floats:
        return self._inner.query(texts)

    def passage(self, texts: Sequence[str]) -> Floats:
        self.passages += texts
        if self.fault is not None and self.times > 0 and any(self.only in text for text in texts):
            self.times -= 1
            raise self.fault
        return self._inner.passage(texts)
