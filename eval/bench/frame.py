"""How contenders are timed: they take turns (A B C, B C A, C A B …), so that whatever the machine does meanwhile hits them alike.

Each round begins with another one: after a contender that waits the processor is idle, after one that computes it is not.
"""

from __future__ import annotations

import gc
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Clock = Callable[[], float]
"""Seconds, monotonic: ``time.perf_counter``."""
Tell = Callable[[str, int, int], None]
"""What is under way, how much of it is done, of how much."""
_WARM_UP = 3


@dataclass(frozen=True)
class Contender:
    """One way to do it: ``run(round)`` does it once; every contender of a round gets the same input. ``settle``, where there is one,
    ends what it left to be done, and is not timed."""

    name: str
    run: Callable[[int], Awaitable[object]]
    settle: Callable[[], Awaitable[object]] | None = None


@dataclass(frozen=True)
class Times:
    """The times of one contender, milliseconds, shape (rounds,)."""

    name: str
    ms: NDArray[np.float64]

    @property
    def p50(self) -> float:
        """Median."""
        return float(np.median(self.ms))

    @property
    def p95(self) -> float:
        """95th percentile."""
        return float(np.percentile(self.ms, 95))

    @property
    def least(self) -> float:
        """The quickest round."""
        return float(self.ms.min())


@dataclass(frozen=True)
class Outcome:
    """All contenders of one case: ``size`` is what grows from case to case, counted in ``unit``."""

    case: str
    size: int
    times: list[Times]
    unit: str = "memories"

    def of(self, name: str) -> Times:
        """The times of a contender. KeyError: there is none of that name."""
        found = {times.name: times for times in self.times}
        return found[name]


async def alternate(contenders: Sequence[Contender], rounds: int, clock: Clock, tell: Tell = lambda what, done, total: None) -> list[Times]:
    """Times each contender ``rounds`` times, in turns, after a few rounds that do not count. The collector runs between rounds only."""
    ms = np.zeros((len(contenders), rounds))
    gc.disable()
    try:
        for number in range(-_WARM_UP, rounds):
            for place in range(len(contenders)):
                row = (number + place) % len(contenders)
                began = clock()
                await contenders[row].run(number)
                if number >= 0:
                    ms[row, number] = (clock() - began) * 1000
                if (settle := contenders[row].settle) is not None:
                    await settle()
            if number % 20 == 0:
                gc.collect(0)
                tell("measuring", max(number, 0), rounds)
    finally:
        gc.enable()
    return [Times(contender.name, row) for contender, row in zip(contenders, ms, strict=True)]
