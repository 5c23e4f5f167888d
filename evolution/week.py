"""What a week says of a topic, and which topics stand out (E12-E14). Counts only: times come as hours of the user's zone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

_TIMES_PEERS = 2.0
"""E13: repeats over twice the mean of the other topics."""
_LEAST = 3
_NIGHT = (22, 23, 0, 1, 2, 3, 4)
_NIGHT_SHARE = 0.5


@dataclass(frozen=True)
class Asked:
    """A question as the review counts it; ``hour`` 0-23 in the user's zone."""

    hour: int
    interrupted: bool = False
    repeats: bool = False
    emotion: str | None = None


@dataclass(frozen=True)
class Counts:
    """``hours`` has 24 entries; ``emotions`` are those that were heard, the most frequent first."""

    turns: int
    interruptions: int
    repeats: int
    hours: tuple[int, ...]
    emotions: tuple[tuple[str, int], ...]

    @property
    def repeat_rate(self) -> float:
        """Share of questions that say an earlier one again."""
        return self.repeats / self.turns if self.turns else 0.0

    @property
    def interruption_rate(self) -> float:
        """Share of questions whose reply was cut off."""
        return self.interruptions / self.turns if self.turns else 0.0

    @property
    def night_share(self) -> float:
        """Share of questions from 22:00 to 05:00."""
        return sum(self.hours[hour] for hour in _NIGHT) / self.turns if self.turns else 0.0


def counted(asked: Sequence[Asked]) -> Counts:
    """The counts of one topic."""
    hours = Counter(one.hour for one in asked)
    emotions = Counter(one.emotion for one in asked if one.emotion)
    return Counts(
        turns=len(asked),
        interruptions=sum(one.interrupted for one in asked),
        repeats=sum(one.repeats for one in asked),
        hours=tuple(hours[hour] for hour in range(24)),
        emotions=tuple(sorted(emotions.items(), key=lambda pair: (-pair[1], pair[0]))),
    )


def often_repeated(topics: Sequence[Counts]) -> list[int]:
    """Places of the topics whose repeat rate exceeds twice the mean of their peers', the worst first; at least three repeats."""
    found = []
    for place, topic in enumerate(topics):
        peers = [other.repeat_rate for number, other in enumerate(topics) if number != place]
        if peers and topic.repeats >= _LEAST and topic.repeat_rate > _TIMES_PEERS * sum(peers) / len(peers):
            found.append(place)
    return sorted(found, key=lambda place: -topics[place].repeat_rate)


def at_night(topics: Sequence[Counts]) -> list[int]:
    """Places of the topics that are asked after 22:00: most of their questions, and twice as often as the rest of the week."""
    found = []
    for place, topic in enumerate(topics):
        rest = [other for number, other in enumerate(topics) if number != place]
        turns = sum(other.turns for other in rest)
        usual = sum(other.night_share * other.turns for other in rest) / turns if turns else 0.0
        if topic.turns >= _LEAST and topic.night_share >= _NIGHT_SHARE and topic.night_share > _TIMES_PEERS * usual:
            found.append(place)
    return found
