"""An OpenAI-compatible embeddings endpoint (Ollama, vLLM, llama.cpp, a cloud)."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence

import httpx
import numpy as np

from memory.ports import Floats
from schemas.errors import EmbedderMismatch, UpstreamFailed
from schemas.settings import Embedding
from serve.outbound import is_elsewhere

_BATCH = 32
_TRIES = 4
_FIRST_PAUSE_S = 0.2
_SHORTEST = 16
_WORTH_RETRYING = {408, 409, 425, 429, 500, 502, 503, 504}
_REFUSED = {400, 413, 422}


class UrlEmbedder:
    """See :class:`memory.ports.Embedder`. A blank text is not sent: its vector is zero, which matches nothing.

    A server that refuses a batch gets its halves, a text that it refuses alone gets shortened by half until it is taken: one bad text
    does not fail the rest. ``pause`` and ``jitter`` (in [0, 1)) are for waiting between tries.
    """

    def __init__(
        self,
        settings: Embedding,
        key: str | None = None,
        *,
        client: httpx.Client | None = None,
        pause: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._url = f"{(settings.url or '').rstrip('/')}/embeddings"
        self._settings = settings
        self._client = client or httpx.Client(timeout=60.0, trust_env=is_elsewhere(settings.url))
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._pause, self._jitter = pause, jitter
        self.name = settings.model
        self.dim = settings.dim

    def query(self, texts: Sequence[str]) -> Floats:
        """Shape (len(texts), dim). Raises UpstreamFailed, EmbedderMismatch."""
        return self._embedded(texts, self._settings.query_prefix)

    def passage(self, texts: Sequence[str]) -> Floats:
        """Shape (len(texts), dim). Raises UpstreamFailed, EmbedderMismatch."""
        return self._embedded(texts, self._settings.passage_prefix)

    def _embedded(self, texts: Sequence[str], prefix: str) -> Floats:
        vectors = np.zeros((len(texts), self.dim), np.float32)
        rows = [row for row, text in enumerate(texts) if text.strip()]
        sent = {row: prefix + texts[row].encode("utf-8", "replace").decode("utf-8") for row in rows}
        for start in range(0, len(rows), _BATCH):
            batch = rows[start : start + _BATCH]
            vectors[batch] = self._batch([sent[row] for row in batch])
        return vectors

    def _batch(self, texts: list[str]) -> Floats:
        answer = self._asked(texts)
        if answer.status_code in _REFUSED:
            if len(texts) > 1:
                middle = len(texts) // 2
                return np.concatenate([self._batch(texts[:middle]), self._batch(texts[middle:])])
            if len(texts[0]) > _SHORTEST:
                return self._batch([texts[0][: len(texts[0]) // 2]])
        if answer.status_code != httpx.codes.OK:
            raise UpstreamFailed(f"the embeddings server at {self._url} answered {answer.status_code}: {answer.text[:200]}")
        return self._read(answer, len(texts))

    def _asked(self, texts: list[str]) -> httpx.Response:
        body = {"model": self.name, "input": texts}
        for attempt in range(_TRIES):
            last = attempt == _TRIES - 1
            try:
                answer = self._client.post(self._url, json=body, headers=self._headers)
                if last or answer.status_code not in _WORTH_RETRYING:
                    return answer
            except httpx.TransportError as error:
                if last:
                    raise UpstreamFailed(f"the embeddings server at {self._url} does not answer: {error}") from error
            self._pause(_FIRST_PAUSE_S * 2**attempt * (0.5 + self._jitter()))
        raise AssertionError("the last attempt returns or raises")

    def _read(self, answer: httpx.Response, count: int) -> Floats:
        try:
            rows = sorted(answer.json()["data"], key=lambda row: row.get("index", 0))
            vectors = np.asarray([row["embedding"] for row in rows], np.float32)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UpstreamFailed(f"the embeddings server at {self._url} answered what is no embedding: {answer.text[:200]}") from error
        if len(vectors) != count:
            raise UpstreamFailed(f"the embeddings server at {self._url} gave {len(vectors)} vectors for {count} texts")
        if vectors.ndim != 2 or vectors.shape[1] != self.dim:
            raise EmbedderMismatch(f"{self.name} at {self._url} gives {vectors.shape[-1]} dimensions, `embedding.dim` says {self.dim}")
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.maximum(norms, 1e-12), np.float32)
