"""Search over what was said (R35): vectors and words with their neighbours, names, times, and answers before questions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from memory.embedding_text import named, question_text
from memory.ports import Floats
from memory.turn_index import TurnIndex
from memory.turn_marks import asked_role, asks_when
from memory.turn_words import neighbourly_bm25
from memory.vectors import best_rows
from memory.when import Interval, times_in
from schemas.settings import TurnSearch
from schemas.turn import Turn

_DAY = 86_400.0
_BEFORE_COSTS = 3.0
"""A day before the time that a question names counts as this many after it."""


@dataclass(frozen=True, slots=True)
class TurnQuestion:
    """``vector`` is the query vector of :meth:`TurnIndex.question_text`, as it came from the embedder, shape (dim,); None: words only.

    ``at`` is the time of the question and ``zone`` the user's: "last March" is resolved against them. ``since`` (inclusive), ``until``
    (exclusive) and ``conversation`` are hard limits.
    """

    text: str
    vector: Floats | None
    at: datetime
    zone: ZoneInfo
    limit: int = 10
    since: datetime | None = None
    until: datetime | None = None
    conversation: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A turn and how well it fits; scores compare within one search only."""

    turn: Turn
    score: float


def search(index: TurnIndex, question: TurnQuestion, settings: TurnSearch) -> list[Found]:
    """The turns that fit best, best first; only turns that share a word or a meaning with the question."""
    if not len(index) or question.limit <= 0:
        return []
    allowed = _allowed(index, question)
    if not len(allowed):
        return []
    dense = _dense(index, question, settings)
    words = neighbourly_bm25(index.words, index.neighbours, question_text(question.text, index.names, max_chars=len(question.text)))
    fused = settings.dense_weight * _scaled(dense, allowed) + settings.words_weight * _scaled(words, allowed)
    fused += _answers(index, fused, settings) + _boosts(index, question, settings)
    fused[(dense <= 0) & (words <= 0)] = -np.inf
    fused = fused[allowed]
    best = best_rows(fused, min(question.limit, int(np.count_nonzero(fused > -np.inf))))
    return [Found(index.at(int(allowed[i])), round(float(fused[i]), 4)) for i in best.tolist()]


def _allowed(index: TurnIndex, question: TurnQuestion) -> NDArray[np.intp]:
    """The rows that the question's limits let in."""
    rows = np.arange(len(index)) if question.conversation is None else index.neighbours.conversation_rows(question.conversation)
    at = index.columns["at"][rows]
    inside = np.ones(len(rows), dtype=np.bool_)
    if question.since is not None:
        inside &= at >= question.since.timestamp()
    if question.until is not None:
        inside &= at < question.until.timestamp()
    return rows[inside]


def _dense(index: TurnIndex, question: TurnQuestion, settings: TurnSearch) -> Floats:
    """Cosine of the question with each turn's vector plus a share of its neighbours', and with its best sentence, shape (n,)."""
    if question.vector is None:
        return np.zeros(len(index), dtype=np.float32)
    query = index.calibration.query(question.vector, question.text)
    own = index.vectors.dot(query)
    weight = np.float32(settings.neighbour_weight)
    mixed = own + weight * index.neighbours.spread(own)
    mixed /= index.neighbours.mixed_norms(index.vectors.matrix, settings.neighbour_weight)
    return np.asarray(mixed + np.float32(settings.sentence_weight) * index.sentences.best(query, own), dtype=np.float32)


def _scaled(scores: Floats, allowed: NDArray[np.intp]) -> Floats:
    """Scores as shares of the best one that is allowed."""
    return scores / max(float(scores[allowed].max()), 1e-6)


def _answers(index: TurnIndex, fused: Floats, settings: TurnSearch) -> Floats:
    """What a turn takes over from the turn before it, where that one asks, shape (n,)."""
    asked = np.where(index.columns["asks"], fused, np.float32(0))
    return np.float32(settings.answer_share) * index.neighbours.before(asked)


def _boosts(index: TurnIndex, question: TurnQuestion, settings: TurnSearch) -> Floats:
    """What lifts or lowers a turn beside vectors and words, shape (n,)."""
    columns = index.columns
    boosts = np.where(columns["question"], -settings.question_penalty, 0.0).astype(np.float32)
    speakers = [index.names.index(name) for name in named(question.text, index.names)]
    if speakers:
        boosts += np.float32(settings.speaker_boost) * np.isin(columns["speaker"], speakers)
    role = asked_role(question.text)
    if role is not None:
        boosts += np.float32(settings.speaker_boost) * (columns["assistant"] == (role == "assistant"))
    if asks_when(question.text):
        boosts += np.float32(settings.time_expression_boost) * columns["timed"]
    times = times_in(question.text, question.at, question.zone)
    if times:
        boosts += np.float32(settings.date_boost) * _nearness(columns["at"], times, settings.date_fade_days)
    return boosts


def _nearness(at: NDArray[np.float64], times: list[Interval], fade_days: float) -> Floats:
    """1 within one of the times, less the longer after it (things are told on the day or soon after), still less before it."""
    near = np.zeros(len(at), dtype=np.float32)
    for time in times:
        since, until = time.since.timestamp(), time.until.timestamp()
        away = np.maximum(at - until, _BEFORE_COSTS * (since - at)) / _DAY
        near = np.maximum(near, np.exp(-np.maximum(away, 0.0) / fade_days).astype(np.float32))
    return near
