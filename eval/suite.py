"""What a suite is, and the form its outcome takes (DESIGN §8)."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from pydantic import BaseModel, Field

from memory.ports import Embedder
from schemas.settings import Settings


class Failure(BaseModel):
    """A case that went wrong, told so that a person can read why."""

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


class Suite(Protocol):
    """A suite reads its data and measures the code that serves, in process and without touching live memory."""

    @property
    def name(self) -> str:
        """As on the command line."""
        ...

    def run(self, data: Path, embedder: Embedder, settings: Settings) -> SuiteResult:
        """Measures. ``data``: a folder with the suite's files, or the suite's own file or folder; FileNotFoundError where it holds none."""
        ...


def find(data: Path, name: str, *, inside: str = "") -> Path:
    """The file or folder ``name``: ``data`` itself, or in it, or in its folder ``inside``. FileNotFoundError: nowhere."""
    places = [data] if data.name == name else [data / name, data / inside / name]
    for place in places:
        if place.exists():
            return place
    raise FileNotFoundError(f"no {name} at {data}: give its folder with --data")
