"""The topics suite: does the weekly review find what a week was about (E12), what was asked again (E13), what at night (E14)?"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np

from eval.partition import adjusted_rand, mutual_information
from eval.suite import Failure, SuiteResult, find, shown
from evolution import topics
from evolution.repeats import repeated
from evolution.topic_words import names
from evolution.week import Asked, Counts, at_night, counted, often_repeated
from memory.ports import Embedder
from schemas.settings import Settings

_NOISE = "noise"
_NIGHT = 22


@dataclass(frozen=True)
class Labelled:
    """A question with what is known of it; ``repeats`` is the row of the one it says again."""

    id: str
    at: datetime
    user: str
    language: str
    text: str
    topic: str
    repeats: int | None
    interrupted: bool


@dataclass(frozen=True)
class TopicsSuite:
    """``topics.jsonl``: a week of questions of several users, each with its topic."""

    name: str = "topics"

    def require(self, data: Path) -> None:
        """See :class:`eval.suite.Suite`."""
        find(data, "topics.jsonl", inside="evalsets")

    def run(self, data: Path, embedder: Embedder, settings: Settings) -> SuiteResult:
        """``ari, nmi, noise_share, repeats_found, night_topic_found`` and how well single repeats are told."""
        lines = find(data, "topics.jsonl", inside="evalsets").read_text("utf-8").splitlines()
        return measure(_read([line for line in lines if line.strip()]), embedder)


def measure(week: Sequence[Labelled], embedder: Embedder) -> SuiteResult:
    """The outcome for a week, its questions in order of time. Failures: topics that are mixed, with their words."""
    texts, wanted = [one.text for one in week], [one.topic for one in week]
    vectors = np.asarray(embedder.query(texts))
    found = topics.find(texts, vectors, embedder.name)
    labels = topics.labels_of(found, len(week))
    points = topics.centred(texts, vectors, embedder.name)
    again: dict[int, int] = {}
    for topic in found:
        rows = sorted(topic.members)
        for row, other in zip(rows, repeated(points[rows], [week[row].user for row in rows]), strict=True):
            if other is not None:
                again[row] = rows[other]
    counts = [counted([Asked(week[row].at.hour, week[row].interrupted, row in again) for row in topic.members]) for topic in found]
    mostly = [Counter(wanted[row] for row in topic.members).most_common(1)[0][0] for topic in found]
    truly = {row for row, one in enumerate(week) if one.repeats is not None}
    metrics = {
        "ari": adjusted_rand(wanted, labels.tolist()),
        "nmi": mutual_information(wanted, labels.tolist()),
        "noise_share": float((labels == topics.NOISE).mean()) if len(labels) else 0.0,
        "repeats_found": _is_found(often_repeated(counts), mostly, _most_repeated(week)),
        "night_topic_found": _is_found(at_night(counts), mostly, _most_at_night(week)),
        "topics": float(len(found)),
        "repeat_precision": len(truly & set(again)) / len(again) if again else 1.0,
        "repeat_recall": len(truly & set(again)) / len(truly) if truly else 1.0,
    }
    by = {
        language: {"ari": adjusted_rand([wanted[row] for row in rows], [int(labels[row]) for row in rows])}
        for language in sorted({one.language for one in week})
        if (rows := [row for row, one in enumerate(week) if one.language == language])
    }
    return SuiteResult(suite="topics", n=len(week), metrics=metrics, by=by, failures=_mixed(week, found, mostly, counts))


def _is_found(places: Sequence[int], mostly: Sequence[str], wanted: str | None) -> float:
    """1 where exactly the wanted topic stands out."""
    return float({mostly[place] for place in places} == ({wanted} if wanted else set()))


def _rates(week: Sequence[Labelled], marked: Sequence[bool]) -> dict[str, float]:
    sums: dict[str, list[bool]] = defaultdict(list)
    for one, mark in zip(week, marked, strict=True):
        if one.topic != _NOISE:
            sums[one.topic].append(mark)
    return {topic: sum(marks) / len(marks) for topic, marks in sums.items()}


def _most_repeated(week: Sequence[Labelled]) -> str | None:
    rates = _rates(week, [one.repeats is not None for one in week])
    return max(rates, key=lambda topic: rates[topic]) if any(rates.values()) else None


def _most_at_night(week: Sequence[Labelled]) -> str | None:
    rates = _rates(week, [one.at.hour >= _NIGHT for one in week])
    return max(rates, key=lambda topic: rates[topic]) if any(rates.values()) else None


def _mixed(week: Sequence[Labelled], found: Sequence[topics.Topic], mostly: Sequence[str], counts: Sequence[Counts]) -> list[Failure]:
    called = names([one.text for one in week], [topic.members for topic in found])
    return [
        Failure(
            id=f"topic {place + 1}",
            query=f"{' '.join(called[place])} ({counts[place].turns}; {counts[place].repeat_rate:.0%} again)",
            wanted=[mostly[place]],
            got=[shown(week[row].topic, week[row].text) for row in topic.members if week[row].topic != mostly[place]],
        )
        for place, topic in enumerate(found)
        if any(week[row].topic != mostly[place] for row in topic.members)
    ]


def _read(lines: Sequence[str]) -> list[Labelled]:
    rows = sorted((json.loads(line) for line in lines), key=lambda row: str(row["ts"]))
    place = {row["id"]: number for number, row in enumerate(rows)}
    return [
        Labelled(
            row["id"],
            datetime.fromisoformat(row["ts"]),
            row["user"],
            row["lang"],
            row["text"],
            row["topic"],
            place.get(row["repeated_of"]),
            bool(row["interrupted"]),
        )
        for row in rows
    ]
