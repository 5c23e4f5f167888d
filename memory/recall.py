"""Recall: from a question to the few memories that answer it, or to none (R20-R24)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import NamedTuple, cast
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from memory.memory_columns import KINDS
from memory.memory_index import MemoryIndex
from memory.persons import about_all, apart, holders, persons
from memory.ports import Floats
from memory.question_form import own_form
from memory.relevance import features, relevance
from memory.situation import fit, names_a_time
from memory.vectors import best_rows
from schemas.memory import Kind
from schemas.recall import Parts, Recalled
from schemas.settings import Recall

_DAY = 86_400.0
_SAME_MATTER = 0.4
"""Closeness of two memories that say the same of two persons, centred cosine (of ten such pairs written for it, eight lie above)."""


@dataclass(frozen=True, slots=True)
class Question:
    """``vector`` is the embedder's query vector as it came, shape (dim,); None (the embedder failed): words only.

    ``at`` is the time as of which memory is asked (clock and validity); ``limit`` None takes the settings'; ``kinds`` None all kinds.
    ``zone``, the user's: what is said of this time of day or weekday comes first (R21); None: the hour does not count.
    """

    text: str
    vector: Floats | None
    at: datetime
    limit: int | None = None
    kinds: tuple[Kind, ...] | None = None
    include_archived: bool = False
    zone: ZoneInfo | None = None


class Ranked(NamedTuple):
    """A candidate: ``score`` by R22, ``relevance`` its semantic part, both in [0, 1]."""

    id: str
    score: float
    relevance: float


@dataclass(frozen=True)
class RecallResult:
    """``kept``: the memories that pass threshold and cap, with their parts, best first. The rest is what :attr:`ranking` is made of."""

    kept: list[Recalled]
    ids: list[str] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    relevances: list[float] = field(default_factory=list)
    texts: list[int] = field(default_factory=list)

    @cached_property
    def ranking(self) -> list[Ranked]:
        """All candidates before threshold and cap, best first, each text once; made when somebody looks."""
        first = {text: place for place, text in reversed(list(enumerate(self.texts)))}
        return [Ranked(self.ids[place], self.scores[place], self.relevances[place]) for place in sorted(first.values())]


def recall(index: MemoryIndex, question: Question, settings: Recall) -> RecallResult:
    """The memories that answer a question, best first; none where nothing is relevant.

    Only memories that are valid as of ``question.at`` and may be recalled are looked at (R20); candidates come by meaning and words,
    are scored by R22 and kept by the calibrated threshold (R23). ValueError where the vector has another dimension than the index.
    """
    now = question.at.timestamp()
    rows = index.columns.eligible_rows(now, question.kinds, question.include_archived)
    if not len(rows):
        return RecallResult([])
    query = _centred(index, question)
    dense = index.vectors.dot(query)
    words = index.words.match(question.text)
    bm25 = words.bm25
    if len(rows) < len(index):
        dense, bm25 = dense[rows], bm25[rows]
    pool = _pool(index, rows, dense, bm25, now, settings)
    chosen = rows[pool]
    coverage = words.coverage[chosen]
    if question.vector is None:
        semantic = coverage
    else:
        semantic = relevance(index.calibration, features(index.calibration, dense, dense[pool], coverage, query, own_form(question.text)))
    return _select(index, chosen, _parts(index, chosen, semantic, now, settings), question, settings)


def last_resort(index: MemoryIndex, question: Question, settings: Recall, threshold: float) -> RecallResult:
    """Archived memories that answer where nothing living does, above a stricter threshold (R18)."""
    if not index.columns.holds_archived():
        return RecallResult([])
    found = recall(index, replace(question, include_archived=True), settings.model_copy(update={"threshold": threshold}))
    return replace(found, kept=[one for one in found.kept if one.status == "archived"])


def _centred(index: MemoryIndex, question: Question) -> Floats:
    dim = index.vectors.dim
    if question.vector is None:
        return np.zeros(dim, dtype=np.float32)
    if question.vector.shape != (dim,):
        raise ValueError(f"a question of shape {question.vector.shape} to an index of {dim} dimensions")
    return index.calibration.query(question.vector, question.text)


def _pool(index: MemoryIndex, rows: NDArray[np.intp], dense: Floats, bm25: Floats, now: float, settings: Recall) -> NDArray[np.intp]:
    """Candidates, as positions in ``rows``: half of the pool by the fused score, half by the fused score weighted by kind and age,
    so that neither freshness nor age alone keeps a good match out."""
    if len(rows) <= settings.pool:
        return np.arange(len(rows))
    fused = dense * np.float32(settings.dense_weight / max(float(dense.max()), 1e-6))
    fused += bm25 * np.float32(settings.words_weight / max(float(bm25.max()), 1e-6))
    half = settings.pool // 2
    promising = best_rows(fused, settings.pool * 2)
    found = rows[promising]
    days = np.maximum(now - index.columns["confirmed"][found], 0.0) / _DAY
    by_kind = np.array([getattr(settings.kind_weights, kind) for kind in KINDS])
    weights = by_kind[index.columns["kind"][found]] * np.exp(-settings.age_rate * days)
    chosen = np.zeros(len(promising), dtype=np.bool_)
    chosen[:half] = True
    chosen[best_rows(fused[promising] * weights, half)] = True
    return np.asarray(promising[chosen], dtype=np.intp)


def _parts(index: MemoryIndex, rows: NDArray[np.intp], semantic: Floats, now: float, settings: Recall) -> Floats:
    """The four parts of R22, shape (m, 4): semantic, recency, frequency, confidence."""
    columns = index.columns
    out = np.empty((len(rows), 4), dtype=np.float32)
    out[:, 0] = semantic
    out[:, 1] = recency((now - columns["seen"][rows]) / _DAY, settings)
    out[:, 2] = np.minimum(columns["accesses"][rows] / np.float32(math.log1p(settings.full_accesses)), 1.0)
    out[:, 3] = columns["confidence"][rows]
    return out


def recency(idle_days: NDArray[np.float64], settings: Recall) -> NDArray[np.float64]:
    """1 soon after the last access or confirmation, then fading by a constant share, down to a floor (R22)."""
    fading = np.maximum(idle_days - settings.fresh_days, 0.0) / settings.fading_days
    return cast("NDArray[np.float64]", np.maximum(settings.fading_factor**fading, settings.recency_floor))


def _select(index: MemoryIndex, rows: NDArray[np.intp], parts: Floats, question: Question, settings: Recall) -> RecallResult:
    shares = (settings.semantic_share, settings.recency_share, settings.frequency_share, settings.confidence_share)
    scores = parts @ np.array(shares, dtype=np.float32)
    order = (-scores).argsort(kind="stable")
    rows, parts, scores = rows[order], parts[order], scores[order]
    texts = index.columns["same_text"][rows].tolist()
    seen: set[int] = set()
    relevant: list[Recalled] = []
    for place in (parts[:, 0] >= settings.threshold).nonzero()[0].tolist():
        if texts[place] not in seen:
            seen.add(texts[place])
            relevant.append(_recalled(index, int(rows[place]), float(scores[place]), parts[place].tolist()))
    relevant = _about_the_same_person(index, relevant, question.text)
    kept = _few(_of_this_hour(relevant, question, settings), question.limit, settings)
    ids = index.vectors.rows.ids
    return RecallResult(kept, [ids[row] for row in rows.tolist()], scores.tolist(), parts[:, 0].tolist(), texts)


def _of_this_hour(found: list[Recalled], question: Question, settings: Recall) -> list[Recalled]:
    """What is said of this time of day or weekday before what is said of another, unless the question names its own (R21)."""
    zone = question.zone
    if zone is None or len(found) < 2 or names_a_time(question.text):
        return found
    lift = {one.id: settings.situation_lift * fit(f"{one.scene} {one.text}", question.at, zone) for one in found if one.kind != "event"}
    return sorted(found, key=lambda one: -one.score - lift.get(one.id, 0.0))


def _few(found: list[Recalled], limit: int | None, settings: Recall) -> list[Recalled]:
    """At most ``limit``, else the settings' cap; of a crowd only those that are about as relevant as the best, three at least (R24)."""
    if limit is None and len(found) > settings.crowd:
        bar = settings.crowd_share * max(one.parts.semantic for one in found)
        found = [one for place, one in enumerate(found) if place < settings.crowd_least or one.parts.semantic >= bar]
    return found[: limit or settings.limit]


def _about_the_same_person(index: MemoryIndex, found: list[Recalled], question: str) -> list[Recalled]:
    """Without what is told of somebody else: asked for my birthday, my partner's is no answer where mine is known (R14, R26)."""
    asked = persons(question)
    if len(found) < 2 or (not asked and about_all(question)):
        return found
    of = {one.id: holders(one.text) for one in found}
    mine = [one for one in found if (asked & persons(one.text) if asked else not of[one.id])]
    if not mine or len(mine) == len(found):
        return found
    return [one for one in found if one in mine or not _another(index, one, of[one.id], asked, mine)]


def _another(index: MemoryIndex, one: Recalled, holder: frozenset[str], asked: frozenset[str], mine: list[Recalled]) -> bool:
    return apart(holder, asked) or any(_same_matter(index, one.id, other.id) for other in mine)


def _same_matter(index: MemoryIndex, one: str, other: str) -> bool:
    first, second = index.vectors.get(one), index.vectors.get(other)
    return first is not None and second is not None and float(first @ second) >= _SAME_MATTER


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
