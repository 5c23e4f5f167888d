"""Samples of the same error and topic, gathered until there are enough of them to propose anything (E3)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evolution.proposals import FORM_ALONE
from memory.normalise import is_chinese
from memory.stop_words import CHINESE_STOP_CHARACTERS, ENGLISH_STOP_WORDS
from memory.words import tokens
from schemas.conversation import Error

ENOUGH: Final = 5
"""Samples of one error and topic that a lasting proposal needs (E3)."""
ENOUGH_ANYWHERE: Final = 10
"""Samples of one error of form, whatever they were about, that tell of a habit in general."""
IN_WORDS: Final = 3
"""So many of them the user has put into words or thumbs: interruptions alone propose nothing."""
NEAR: Final = 0.17
"""Mean cosine to the questions of a topic (centred as questions) from which a question belongs to it: of questions that we wrote about
seven topics those of one topic lie at .15 in the middle, at .21 in the upper quarter; of other topics .04 and .09."""
_SHARED = 0.6
"""A word in this share of the questions names their topic."""
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]{2,}")
_HAN = re.compile(r"[\u4e00-\u9fff]+")


@dataclass(frozen=True)
class Sample:
    """A feedback row with its error and the words around it; ``vector`` is the question's, centred, of length 1, shape (dim,).
    ``in_words``: the user said or thumbed it, rather than going away."""

    id: str
    error: Error
    asked: str
    reply: str
    said: str
    in_words: bool
    vector: NDArray[np.float32]
    topic: str | None = None


@dataclass(frozen=True)
class Batch:
    """Enough samples of one error; ``topic`` is None, and ``about`` empty, where they are about anything. ``about`` is the word that
    their questions share."""

    error: Error
    topic: str | None
    samples: tuple[Sample, ...]
    about: str = ""

    @property
    def id(self) -> str:
        """The same samples always make the same proposal."""
        return "f-" + sha256("\n".join([self.error, *sorted(one.id for one in self.samples)]).encode()).hexdigest()[:20]


def with_topics(samples: Sequence[Sample]) -> dict[str, str]:
    """The topic of each sample by its id. Those that have one keep it; the others join, one after the other, the topic whose questions
    they are near to, or open one of their own. So topics last from batch to batch."""
    members: dict[str, list[NDArray[np.float32]]] = defaultdict(list)
    found: dict[str, str] = {}
    for one in samples:
        if one.topic is not None:
            found[one.id] = one.topic
            members[one.topic].append(one.vector)
    for one in samples:
        if one.id in found:
            continue
        near = {topic: float(np.mean(np.stack(vectors) @ one.vector)) for topic, vectors in members.items()}
        best = max(near, key=lambda topic: near[topic], default=None)
        if best is None or near[best] < NEAR:
            best = "t-" + sha256(one.id.encode()).hexdigest()[:12]
        found[one.id] = best
        members[best].append(one.vector)
    return found


def batches(samples: Sequence[Sample]) -> list[Batch]:
    """Those of which there are enough, the largest first; of what remains, errors of form that come whatever the topic."""
    by_topic: dict[tuple[Error, str], list[Sample]] = defaultdict(list)
    for one in samples:
        if one.topic is not None:
            by_topic[one.error, one.topic].append(one)
    found = [
        Batch(error, topic, tuple(group), shared_word([one.asked for one in group]))
        for (error, topic), group in by_topic.items()
        if _enough(group, ENOUGH)
    ]
    taken = {one.id for batch in found for one in batch.samples}
    for error in FORM_ALONE:
        rest = [one for one in samples if one.error == error and one.id not in taken]
        if _enough(rest, ENOUGH_ANYWHERE):
            found.append(Batch(error, None, tuple(rest)))
    return sorted(found, key=lambda batch: (-len(batch.samples), batch.id))


def shared_word(questions: Sequence[str]) -> str:
    """The word that most of the questions have, as it stands in them; empty where they share none."""
    counts: Counter[str] = Counter()
    for question in questions:
        counts.update(set(_words(question)))
    often = [(count, len(word), word) for word, count in counts.items() if count >= _SHARED * len(questions)]
    return max(often, default=(0, 0, ""))[2]


def _words(text: str) -> list[str]:
    pairs = [run[i : i + 2] for run in _HAN.findall(text) for i in range(len(run) - 1)]
    chinese = [pair for pair in pairs if not CHINESE_STOP_CHARACTERS & set(pair)]
    return chinese + [word for raw in _WORD.findall(text) if (word := raw.lower()) not in ENGLISH_STOP_WORDS and tokens(word)]


def _enough(group: Sequence[Sample], least: int) -> bool:
    return len(group) >= least and sum(one.in_words for one in group) >= IN_WORDS


def in_chinese(samples: Sequence[Sample]) -> bool:
    """The language in which most of the questions were asked."""
    return 2 * sum(is_chinese(one.asked) for one in samples) >= len(samples)
