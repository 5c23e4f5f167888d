"""What ranking needs to know of each memory, in columns, so that thousands are judged in a few numpy calls."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from memory.normalise import fold
from schemas.memory import Kind, Memory, Status

KINDS: Final[tuple[Kind, ...]] = ("profile", "fact", "preference", "event", "knowledge")
STATUSES: Final[tuple[Status, ...]] = ("active", "probation", "pending", "deprecated", "archived")
_KIND = {kind: code for code, kind in enumerate(KINDS)}
_STATUS = {status: code for code, status in enumerate(STATUSES)}
_TYPES = {
    "kind": np.uint8,
    "status": np.uint8,
    "starts": np.float64,
    "ends": np.float64,
    "confirmed": np.float64,
    "seen": np.float64,
    "accesses": np.float32,
    "confidence": np.float32,
    "same_text": np.int64,
}


@dataclass(frozen=True, slots=True)
class _Eligible:
    wanted: tuple[tuple[Kind, ...] | None, bool]
    since: float
    until: float
    rows: NDArray[np.intp]


class MemoryColumns:
    """Columns by row, times in epoch seconds.

    ``starts`` and ``ends`` bound validity, ``confirmed`` is the last confirmation, ``seen`` the last access or confirmation,
    ``accesses`` log(1 + their number) (R22), ``same_text`` is equal for texts that differ in spelling only.
    """

    def __init__(self) -> None:
        self._rows = 0
        self._asked: _Eligible | None = None
        self._columns: dict[str, NDArray[Any]] = {name: np.zeros(0, dtype=kind) for name, kind in _TYPES.items()}

    def __getitem__(self, name: str) -> NDArray[Any]:
        """One column, shape (n,): a view."""
        return self._columns[name][: self._rows]

    @property
    def nbytes(self) -> int:
        """Memory held, bytes."""
        return sum(column.nbytes for column in self._columns.values())

    def put(self, row: int, memory: Memory) -> None:
        """Writes a row; ``row`` may be the next free one."""
        self._asked = None
        if row >= self._rows:
            self._rows = row + 1
            self._reserve()
        confirmed = memory.verified_at or memory.created_at
        values = {
            "kind": _KIND[memory.kind],
            "status": _STATUS[memory.status],
            "starts": (memory.valid_from or memory.created_at).timestamp(),
            "ends": min(_seconds(memory.valid_to), _seconds(memory.expires_at)),
            "confirmed": confirmed.timestamp(),
            "seen": max(confirmed, memory.accessed_at or confirmed).timestamp(),
            "accesses": math.log1p(memory.access_count),
            "confidence": memory.confidence,
            "same_text": hash(fold(memory.text)),
        }
        for name, value in values.items():
            self._columns[name][row] = value

    def drop(self, row: int) -> None:
        """Removes a row; the last one takes its place."""
        self._asked = None
        self._rows -= 1
        for column in self._columns.values():
            column[row] = column[self._rows]

    def eligible(self, at: float, kinds: tuple[Kind, ...] | None, include_archived: bool) -> NDArray[np.bool_]:
        """Which rows may be recalled as of ``at``, epoch seconds (R20), shape (n,).

        Valid then, and active or on probation; retired since, when ``at`` lies in the time it was valid; archived on demand only;
        pending never.
        """
        status, ends = self["status"], self["ends"]
        usable = status <= _STATUS["probation"]
        usable |= (status == _STATUS["deprecated"]) & (ends < np.inf)
        if include_archived:
            usable |= status == _STATUS["archived"]
        usable &= self["starts"] <= at
        usable &= ends > at
        if kinds is not None:
            usable &= np.isin(self["kind"], [_KIND[kind] for kind in kinds])
        return np.asarray(usable, dtype=np.bool_)

    def holds_archived(self) -> bool:
        """Whether any row is archived."""
        return bool((self["status"] == _STATUS["archived"]).any())

    def eligible_rows(self, at: float, kinds: tuple[Kind, ...] | None, include_archived: bool) -> NDArray[np.intp]:
        """Rows of :meth:`eligible`, shape (m,), not to be written to. Kept for the next question: they stay the same until a row is
        written, or a validity begins or ends."""
        known, wanted = self._asked, (kinds, include_archived)
        if known is None or known.wanted != wanted or not known.since <= at < known.until:
            rows = np.flatnonzero(self.eligible(at, kinds, include_archived))
            moments = np.concatenate([self["starts"], self["ends"]])
            since = moments[moments <= at].max(initial=-math.inf)
            until = moments[moments > at].min(initial=math.inf)
            self._asked = known = _Eligible(wanted, float(since), float(until), rows)
        return known.rows

    def _reserve(self) -> None:
        held = len(self._columns["kind"])
        if self._rows <= held:
            return
        capacity = max(64, self._rows, held * 3 // 2)
        for name, column in self._columns.items():
            grown = np.zeros(capacity, dtype=column.dtype)
            grown[:held] = column
            self._columns[name] = grown


def _seconds(moment: datetime | None) -> float:
    return math.inf if moment is None else moment.timestamp()
