"""Which changes and feedback the logs do not hold yet as they are: sealing copies those, and rereads nothing else.

Every write of such a row is noted in the journal's own transaction, with the number of its entry: a row that is written once more
while it is copied is owed again. Where the notes are not whole (an older release wrote the lake, a snapshot was restored) everything is
looked at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from lake.journal import Journal
from lake.writes import Key, moment
from schemas.record import Record

_FACT = "owed"
_WHOLE = "whole"


class Owed:
    """The notes of one shard, kept by the owner ``fence``. Its methods raise sqlite3.Error, Fenced."""

    def __init__(self, journal: Journal, fence: int) -> None:
        self._journal, self._fence = journal, fence

    @property
    def whole(self) -> bool:
        """Whether what is not noted lies in the logs just so."""
        return self._journal.fact(_FACT) == _WHOLE

    def trust(self, whole: bool) -> None:
        """Say whether the notes are whole from now on."""
        self._journal.set_facts(self._fence, {_FACT: _WHOLE if whole else ""})

    def before(self, kind: type[Record], at: datetime) -> dict[Key, tuple[datetime, int]]:
        """What is owed of a kind with a time before ``at``: its time, and the number that :meth:`paid` asks for."""
        rows = self._journal.owed(kind.TABLE, moment(at))
        return {(user, id): (datetime.fromisoformat(when).replace(tzinfo=UTC), number) for user, id, when, number in rows}

    def owe(self, kind: type[Record], rows: Iterable[tuple[Key, datetime]]) -> None:
        """Note rows that an older release wrote."""
        self._journal.owe(self._fence, kind.TABLE, [(user, id, moment(at)) for (user, id), at in rows])

    def paid(self, kind: type[Record], rows: Mapping[Key, int]) -> None:
        """These lie in the logs, as they were when they had these numbers."""
        self._journal.pay(self._fence, kind.TABLE, [(user, id, number) for (user, id), number in rows.items()])
