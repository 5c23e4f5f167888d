"""Digits that stand together: a run, cut into groups by what separates them, and the groups that may be one number."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

_SEPARATOR = r"[ \-–—‑_.,/·•|~*()\n、]"
_RUN = re.compile(rf"\d(?:{_SEPARATOR}{{0,3}}\d)*", re.ASCII)
_GROUP = re.compile(r"\d+", re.ASCII)


@dataclass(frozen=True)
class Number:
    """Some groups of a run read as one number: its digits and its place in the text."""

    digits: str
    start: int
    end: int
    shape: tuple[int, ...]
    separators: frozenset[str]


class Run:
    """One run: all its groups in their order."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self._groups = [group.span() for group in _GROUP.finditer(text, start, end)]
        self._digits = "".join(text[a:b] for a, b in self._groups)
        self._offsets = [0]
        for a, b in self._groups:
            self._offsets.append(self._offsets[-1] + b - a)
        self._cuts = {offset: index for index, offset in enumerate(self._offsets)}
        self._between = [text[one[1] : other[0]] for one, other in pairwise(self._groups)]

    def of_length(self, length: int, plausible: Callable[[str], bool]) -> Iterator[Number]:
        """Any neighbouring groups of so many digits together that are ``plausible``."""
        if len(self._digits) < length:
            return
        for first, offset in enumerate(self._offsets[:-1]):
            if (last := self._cuts.get(offset + length)) is not None and plausible(self._digits[offset : offset + length]):
                yield self._number(first, last)

    def whole(self, least: int, most: int) -> Iterator[Number]:
        """What a writer would take for one number: a group, groups with one separator, and the run as a whole; by its digits."""
        for first, last in dict.fromkeys(self._whole()):
            if least <= self._offsets[last] - self._offsets[first] <= most:
                yield self._number(first, last)

    def shaped(self, *shapes: tuple[int, ...]) -> Iterator[Number]:
        """Neighbouring groups of these lengths."""
        sizes = [b - a for a, b in self._groups]
        for first, size in enumerate(sizes):
            for shape in shapes:
                if size == shape[0] and tuple(sizes[first : first + len(shape)]) == shape:
                    yield self._number(first, first + len(shape))

    def _whole(self) -> Iterator[tuple[int, int]]:
        count = len(self._groups)
        yield 0, count
        for index in range(count):
            yield index, index + 1
        first = 0
        for index in range(1, count - 1):
            if self._between[index] != self._between[first]:
                yield first, index + 1
                first = index
        if first:
            yield first, count

    def _number(self, first: int, last: int) -> Number:
        groups = self._groups[first:last]
        digits = self._digits[self._offsets[first] : self._offsets[last]]
        shape = tuple(b - a for a, b in groups)
        return Number(digits, groups[0][0], groups[-1][1], shape, frozenset("".join(self._between[first : last - 1])))


def runs(text: str) -> Iterator[Run]:
    """The runs of a folded text that hold seven digits or more."""
    for run in _RUN.finditer(text):
        if run.end() - run.start() >= _SHORTEST:
            yield Run(text, *run.span())


_SHORTEST = 7
