"""Recall: from a question to the few memories that answer it, or to none (R20-R24)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from memory.memory_columns import KINDS
from memory.memory_index import MemoryIndex
from memory.ports import Floats
from memory.relevance import features, relevance
from memory.vectors import best_rows
from schemas.memory import Kind
from schemas.recall import Parts, Recalled
from schemas.settings import Recall

_DAY = 86_400.0
_BASE_WEIGHTS = np.array([{"profile": 0.9, "preference": 0.8, "fact": 0.8, "event": 0.6, "knowledge": 0.3}[kind] for kind in KINDS])


@dataclass(frozen=True, slots=True)
class Question:
    """``vector`` is the embedder's query vector as it came, shape (dim,); None (the embedder failed): words only.

    ``at`` is the time as of which memory is asked (clock and validity); ``limit`` None takes the settings'; ``kinds`` None all kinds.
    """

    text: str
    vector: Floats | None
    at: datetime
    limit: int | None = None
    kinds: tuple[Kind, ...] | None = None
    include_archived: bool = False


class Ranked(NamedTuple):
    """A candidate: ``score`` by R22, ``relevance`` its semantic part, both in [0, 1]."""

    id: str
    score: float
    relevance: float


@dataclass(frozen=True, slots=True)
class RecallResult:
    """``ranking``: the candidates before threshold and cap, best first. ``kept``: those that pass both, with their parts."""

    ranking: list[Ranked]
    kept: list[Recalled]


def recall(index: MemoryIndex, question: Question, settings: Recall) -> RecallResult:
    """The memories that answer a question, best first; none where nothing is relevant."""
    now = question.at.timestamp()
    rows = np.flatnonzero(index.columns.eligible(now, question.kinds, question.include_archived))
    if not len(rows):
        return RecallResult([], [])
    query = _centred(index, question)
    dense = index.vectors.dot(query)
    words = index.words.match(question.text)
    whole = len(rows) == len(index)
    if not whole:
        dense = dense[rows]
    pool = _pool(index, rows, dense, words.bm25 if whole else words.bm25[rows], now, settings)
    rows_of_pool = rows[pool]
    table = features(index.calibration, dense, dense[pool], words.coverage[rows_of_pool], query)
    parts = _parts(index, rows_of_pool, relevance(index.calibration, table), now)
    return _select(index, rows_of_pool, parts, question, settings)


def _centred(index: MemoryIndex, question: Question) -> Floats:
    if question.vector is None:
        return np.zeros(index.vectors.dim, dtype=np.float32)
    return index.calibration.query(question.vector, question.text)


def _pool(index: MemoryIndex, rows: NDArray[np.intp], dense: Floats, bm25: Floats, now: float, settings: Recall) -> NDArray[np.intp]:
    """Candidates, as positions in ``rows``: half of the pool by the fused score, half by the fused score weighted by kind and age,
    so that neither freshness nor age alone keeps a good match out."""
    if len(rows) <= settings.pool:
        return np.arange(len(rows))
    fused = settings.dense_weight * dense / max(float(dense.max()), 1e-6) + settings.words_weight * bm25 / max(float(bm25.max()), 1e-6)
    half = settings.pool // 2
    promising = np.array(best_rows(fused, settings.pool * 4))
    days = np.maximum(now - index.columns["confirmed"][rows[promising]].astype(np.float64), 0.0) / _DAY
    weights = _BASE_WEIGHTS[index.columns["kind"][rows[promising]].astype(np.intp)] * np.exp(-0.02 * days)
    weighted = promising[best_rows(fused[promising] * weights, half)]
    return np.union1d(promising[:half], weighted)


def _parts(index: MemoryIndex, rows: NDArray[np.intp], semantic: Floats, now: float) -> Floats:
    """The four parts of R22, shape (m, 4): semantic, recency, frequency, confidence."""
    columns = index.columns
    idle = np.maximum(now - columns["seen"][rows].astype(np.float64), 0.0) / _DAY
    out = np.empty((len(rows), 4), dtype=np.float32)
    out[:, 0] = semantic
    out[:, 1] = recency(idle)
    out[:, 2] = columns["frequency"][rows]
    out[:, 3] = columns["confidence"][rows]
    return out


def recency(idle_days: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 within a day of the last access or confirmation, then x 0.8 for each further 7 days, at least 0.1 (R22)."""
    return cast("NDArray[np.float64]", np.maximum(0.8 ** (np.maximum(idle_days - 1.0, 0.0) / 7.0), 0.1))


def _select(index: MemoryIndex, rows: NDArray[np.intp], parts: Floats, question: Question, settings: Recall) -> RecallResult:
    shares = (settings.semantic_share, settings.recency_share, settings.frequency_share, settings.confidence_share)
    scores = parts @ np.array(shares, dtype=np.float32)
    order = np.argsort(-scores, kind="stable")
    same_text = index.columns["same_text"][rows].tolist()
    ids, listed_scores, listed_parts = index.vectors.rows.ids, scores.tolist(), parts.tolist()
    limit = question.limit or settings.limit
    seen: set[int] = set()
    ranking: list[Ranked] = []
    kept: list[Recalled] = []
    for i in order.tolist():
        if same_text[i] in seen:
            continue
        seen.add(same_text[i])
        row = int(rows[i])
        ranking.append(Ranked(ids[row], listed_scores[i], listed_parts[i][0]))
        if listed_parts[i][0] >= settings.threshold and len(kept) < limit:
            kept.append(_recalled(index, row, listed_scores[i], listed_parts[i]))
    return RecallResult(ranking, kept)


def _recalled(index: MemoryIndex, row: int, score: float, parts: list[float]) -> Recalled:
    memory = index.at(row)
    semantic, recent, frequency, confidence = (round(part, 4) for part in parts)
    return Recalled.model_construct(
        id=memory.id,
        text=memory.text,
        kind=memory.kind,
        key=memory.key,
        scene=memory.scene,
        subject=memory.subject,
        status=memory.status,
        score=round(score, 4),
        parts=Parts.model_construct(semantic=semantic, recency=recent, frequency=frequency, confidence=confidence),
        turns=memory.turns,
        updated_at=memory.updated_at,
    )
