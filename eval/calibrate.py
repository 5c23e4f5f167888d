"""Builds the calibration of an embedder from the project's own labelled pairs (R23).

    python -m eval.calibrate [--cache FOLDER] [--out FILE]

``calibration/pairs.jsonl``: memories of three invented users, each with a Chinese
and an English question that it answers in other words, and one in its own words.
``calibration/personal.jsonl``: more questions about one's own life. ``calibration/general.jsonl``: questions that no memory can help with;
``calibration/near.jsonl``: such ones that share their topic with a memory of the pairs.
Everything is learnt from these; the suites of ``laoma eval`` are never looked at.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from eval import logistic
from eval.cached_embedder import bundled
from eval.logistic import Doubles
from memory.calibration import FEATURES, Calibration
from memory.normalise import is_chinese
from memory.ports import Embedder, Floats
from memory.question_form import own_form
from memory.relevance import features
from memory.word_index import WordIndex

_HERE = Path(__file__).parent / "calibration"
_FOLDS = 10
_PERSONAL_L2 = 2.0
_RELEVANCE_L2 = 0.5
_WRONG_RATE = 0.20
"""Share of general questions that share their topic with a memory that may recall one: the threshold is set there."""
_NEAR_WEIGHT = 5.0
"""They are few, and the hardest."""
_STRANGER_WEIGHT = 0.3
"""A question of another user counts as unanswerable, though some memory may happen to touch it."""


@dataclass(frozen=True)
class Pairs:
    """The labelled texts. ``owner[i]`` is the user of memory i; question i is answered by memory ``answer[i]`` (-1: by none)."""

    memories: list[str]
    owner: list[str]
    questions: list[str]
    answer: list[int]
    personal: list[bool]
    near: list[bool]


def read_pairs(folder: Path = _HERE) -> Pairs:
    """The pairs of a folder: those of the project unless told otherwise."""
    rows, more, general, near = (_lines(folder / f"{name}.jsonl") for name in ("pairs", "personal", "general", "near"))
    answered = [(question, i) for i, row in enumerate(rows) for question in row["questions"]]
    others = [(row["question"], True) for row in more] + [(row["question"], False) for row in [*general, *near]]
    return Pairs(
        memories=[row["memory"] for row in rows],
        owner=[row["user"] for row in rows],
        questions=[question for question, _ in answered] + [question for question, _ in others],
        answer=[i for _, i in answered] + [-1] * len(others),
        personal=[True] * len(answered) + [personal for _, personal in others],
        near=[False] * (len(answered) + len(others) - len(near)) + [True] * len(near),
    )


def calibrate(embedder: Embedder, pairs: Pairs) -> Calibration:
    """Everything that :class:`Calibration` holds, learnt from ``pairs``."""
    memories, questions = embedder.passage(pairs.memories), embedder.query(pairs.questions)
    own = [i for i, personal in enumerate(pairs.personal) if personal]
    start = Calibration(
        embedder=embedder.name,
        passage_means=script_means(memories, pairs.memories),
        query_means=script_means(questions[own], [pairs.questions[i] for i in own]),
        weights=np.zeros(len(FEATURES), dtype=np.float32),
        bias=0.0,
        personal=np.zeros(embedder.dim + 1, dtype=np.float32),
        standing_mean=0.0,
        standing_spread=1.0,
    )
    centred = np.array([start.query(vector, text) for vector, text in zip(questions, pairs.questions, strict=True)])
    stored = start.passages(memories, pairs.memories)
    unrelated = (centred @ stored.T)[_unrelated(pairs)]
    known = replace(start, standing_mean=float(unrelated.mean()), standing_spread=float(unrelated.std()))
    labels = np.array(pairs.personal, dtype=np.float64)
    samples = _samples(known, pairs, stored, centred, _out_of_fold(centred.astype(np.float64), labels, pairs.answer))
    fitted = logistic.fit(samples.table, samples.labels, weights=samples.weights, l2=_RELEVANCE_L2)
    head = logistic.fit(centred.astype(np.float64), labels, weights=_balanced(labels), l2=_PERSONAL_L2)
    shift = _threshold(samples, fitted)
    return replace(known, weights=fitted[:-1].astype(np.float32), bias=float(fitted[-1]) - shift, personal=head.astype(np.float32))


def script_means(vectors: Floats, texts: Sequence[str]) -> Floats:
    """Mean vectors of the texts of other scripts and of the Chinese ones, shape (2, dim)."""
    han = np.array([is_chinese(text) for text in texts])
    return np.stack([vectors[~han].mean(axis=0), vectors[han].mean(axis=0)]).astype(np.float32)


@dataclass(frozen=True)
class _Samples:
    table: Doubles
    labels: Doubles
    weights: Doubles
    question: list[int]
    near: list[bool]


def _samples(known: Calibration, pairs: Pairs, stored: Floats, centred: Floats, personality: Doubles) -> _Samples:
    """One row for every question and memory of every user. ``personality`` is each question's, by models that never saw it."""
    tables, labels, weights, asked, near = [], [], [], [], []
    for user in sorted(set(pairs.owner)):
        rows = [i for i, owner in enumerate(pairs.owner) if owner == user]
        words = WordIndex()
        for i in rows:
            words.put(str(i), pairs.memories[i])
        for j, question in enumerate(pairs.questions):
            if pairs.answer[j] < 0 and pairs.personal[j]:
                continue
            dense = stored[rows] @ centred[j]
            table = features(known, dense, dense, words.match(question).coverage, centred[j], own_form(question)).astype(np.float64)
            table[:, FEATURES.index("personal")] = personality[j]
            tables.append(table)
            truth = np.array([float(i == pairs.answer[j]) for i in rows])
            labels.append(truth)
            stranger = pairs.personal[j] and not truth.any()
            weights.append(np.full(len(rows), _STRANGER_WEIGHT if stranger else _NEAR_WEIGHT if pairs.near[j] else 1.0))
            asked += [j] * len(rows)
            near += [pairs.near[j]] * len(rows)
    return _Samples(np.concatenate(tables), np.concatenate(labels), np.concatenate(weights), asked, near)


def _threshold(samples: _Samples, fitted: Doubles) -> float:
    """Log-odds that a share of ``_WRONG_RATE`` of the near questions surpasses with its best memory."""
    odds = samples.table @ fitted[:-1] + fitted[-1]
    best: dict[int, float] = {}
    for question, near, value in zip(samples.question, samples.near, odds, strict=True):
        if near:
            best[question] = max(best.get(question, -np.inf), float(value))
    return float(np.quantile(list(best.values()), 1 - _WRONG_RATE))


def _out_of_fold(table: Doubles, labels: Doubles, answer: Sequence[int]) -> Doubles:
    """Log-odds of each row by a model that saw neither it nor the other questions to the same memory."""
    odds = np.zeros(len(table))
    fold = np.where(np.array(answer) >= 0, answer, np.arange(len(table))) % _FOLDS
    for part in range(_FOLDS):
        seen = fold != part
        head = logistic.fit(table[seen], labels[seen], weights=_balanced(labels[seen]), l2=_PERSONAL_L2)
        odds[~seen] = table[~seen] @ head[:-1] + head[-1]
    return odds


def _balanced(labels: Doubles) -> Doubles:
    share = labels.mean()
    return np.where(labels > 0.5, 0.5 / share, 0.5 / (1 - share))


def _unrelated(pairs: Pairs) -> tuple[np.ndarray, np.ndarray]:
    mask = np.ones((len(pairs.questions), len(pairs.memories)), dtype=np.bool_)
    for j, i in enumerate(pairs.answer):
        if i >= 0:
            mask[j, i] = False
    rows, columns = np.nonzero(mask)
    return rows, columns


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def main() -> None:
    """The command."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--cache", type=Path, help="folder of cached embeddings; default: a temporary one")
    options.add_argument("--out", type=Path, help="default: the file in memory/calibrations")
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as spare:
        made = calibrate(bundled(asked.cache or Path(spare)), read_pairs())
    out = asked.out or Path(__file__).parents[1] / "memory" / "calibrations" / (made.embedder.replace("/", "--") + ".json")
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(made.to_json(), encoding="utf-8")
    print(f"wrote {out}: weights {dict(zip(FEATURES, made.weights.round(2).tolist(), strict=True))}")


if __name__ == "__main__":
    main()
