"""What a suite is, and the form its outcome takes (DESIGN §8)."""

from __future__ import annotations

import asyncio
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from pydantic import BaseModel, Field

from eval.metrics import means
from memory.ports import Embedder
from schemas.settings import Settings

_SHOWN_CHARS = 160


class Failure(BaseModel):
    """A case that went wrong, told so that a person can read why: what was asked, what was wanted, what came (best first), in words."""

    id: str
    query: str
    wanted: list[str]
    got: list[str]


class SuiteResult(BaseModel):
    """``n`` cases were measured; ``by`` holds the same measures for parts of them."""

    suite: str
    n: int
    metrics: dict[str, float]
    by: dict[str, dict[str, float]] = Field(default_factory=dict)
    failures: list[Failure] = Field(default_factory=list)

    def rounded(self, digits: int = 4) -> SuiteResult:
        """The same with measures rounded."""
        return self.model_copy(
            update={
                "metrics": {name: round(value, digits) for name, value in self.metrics.items()},
                "by": {part: {name: round(value, digits) for name, value in row.items()} for part, row in self.by.items()},
            }
        )


@dataclass(frozen=True)
class Case:
    """One measured case: its measures in ``row``, the ``group`` it counts to in ``by``, and how it failed where it did."""

    id: str
    group: str
    row: Mapping[str, float]
    failure: Failure | None = None


class Part(Protocol):
    """A share of a suite that is measured on its own, in its own temporary lake: a dialogue, a user. It travels to a task: picklable."""

    @property
    def name(self) -> str:
        """For the progress bar."""
        ...

    @property
    def passages(self) -> Sequence[str]:
        """Texts that its lake will hold: they may be embedded ahead."""
        ...

    @property
    def questions(self) -> Sequence[str]:
        """Texts that it will ask: they may be embedded ahead."""
        ...

    async def measure(self, home: Path, embedder: Embedder, settings: Settings) -> list[Case]:
        """Measures the code that serves (see :mod:`eval.house`) in the empty folder ``home``."""
        ...


class Suite(Protocol):
    """A suite measures the code that serves, in this process and without touching live memory."""

    @property
    def name(self) -> str:
        """As on the command line."""
        ...

    def require(self, data: Path) -> None:
        """FileNotFoundError where ``data`` holds none of the suite's; asked of every suite before the first is measured."""
        ...

    def run(self, data: Path, embedder: Embedder, settings: Settings) -> SuiteResult:
        """``data``: a folder with the suite's files, or the suite's own file or folder; FileNotFoundError where it holds none."""
        ...


class Parted(ABC):
    """A :class:`Suite` whose cases fall into parts; :mod:`eval.parallel` gives them to several processes, the outcome is the same."""

    name: str

    @abstractmethod
    def require(self, data: Path) -> None:
        """See :class:`Suite`."""

    @abstractmethod
    def parts(self, data: Path, settings: Settings) -> Sequence[Part]:
        """Reads the data. FileNotFoundError where ``data`` holds none."""

    @abstractmethod
    def summary(self, cases: Sequence[Case]) -> SuiteResult:
        """The outcome; ``cases`` come in the order of the parts, however they were run."""

    def run(self, data: Path, embedder: Embedder, settings: Settings) -> SuiteResult:
        """One part after the other, here."""
        return self.summary([case for part in self.parts(data, settings) for case in measured(part, embedder, settings)])


def measured(part: Part, embedder: Embedder, settings: Settings) -> list[Case]:
    """Measures a part over a lake that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="laoma-eval-") as home:
        return asyncio.run(part.measure(Path(home), embedder, settings))


@dataclass(frozen=True)
class Grouped:
    """Sums up cases that all have the same measures: their means, and their means by group."""

    rows: dict[str, list[Mapping[str, float]]] = field(default_factory=dict)

    @classmethod
    def of(cls, cases: Sequence[Case]) -> Grouped:
        """Cases by their group."""
        rows: dict[str, list[Mapping[str, float]]] = {}
        for case in cases:
            rows.setdefault(case.group, []).append(case.row)
        return cls(rows)

    @property
    def by(self) -> dict[str, dict[str, float]]:
        """Means of each group."""
        return {group: means(rows) for group, rows in sorted(self.rows.items())}

    @property
    def overall(self) -> dict[str, float]:
        """Means of all cases."""
        return means([row for _, rows in sorted(self.rows.items()) for row in rows])


def failures(cases: Sequence[Case]) -> list[Failure]:
    """Those of the cases that failed."""
    return [case.failure for case in cases if case.failure is not None]


def shown(id: str, text: str, score: float | None = None) -> str:
    """A line for a person: id, score where there is one, the text with white space folded and not too long."""
    flat = " ".join(text.split())
    cut = flat if len(flat) <= _SHOWN_CHARS else flat[: _SHOWN_CHARS - 1] + "…"
    return f"{id} {cut}" if score is None else f"{id} ({score:.3f}) {cut}"


def find(data: Path, name: str, *, inside: str = "", holds: str = "") -> Path:
    """The file or folder ``name``: ``data`` itself, or in it, or in its folder ``inside``.

    ``data`` counts as it under any other name where it is a file, or a folder with a file like ``holds``. FileNotFoundError: nowhere.
    """
    for place in [data] if data.name == name else [data / name, data / inside / name]:
        if place.exists():
            return place
    if data.is_file() and Path(name).suffix == data.suffix and not inside:
        return data
    if holds and data.is_dir() and any(data.glob(holds)):
        return data
    raise FileNotFoundError(
        f"no {name} at {data}: say where it lies with --data or LAOMA_DATA; where it can be had: docs/evaluation.md, “Data”"
    )
