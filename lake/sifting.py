"""Finding the write that a table refuses, so that one bad row never holds up the others or keeps the shard from opening."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pyarrow as pa

from lake.writes import Write, kind_of

_OF_ROWS = (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError, TypeError, UnicodeError)
_WORDS = ("LanceError(Arrow)", "LanceError(Schema)", "Invalid user input", "Arrow error:")
"""How LanceDB speaks of rows that it refuses; it raises ValueError and RuntimeError for these and for much else."""


@dataclass(frozen=True)
class Refused:
    """A journal entry that can't be carried into its table, and why."""

    seq: int
    table: str
    reason: str


def lies_in_rows(error: Exception) -> bool:
    """Whether trying again is in vain. When in doubt it is not: a full disk must never cost an acknowledged write."""
    return isinstance(error, _OF_ROWS) or (isinstance(error, ValueError | RuntimeError) and any(word in str(error) for word in _WORDS))


def sift(entries: Sequence[tuple[int, Write]], carry: Callable[[list[Write]], None]) -> list[Refused]:
    """Carry all entries but those that are refused, which come back; halves are tried until each culprit stands alone.

    Entries are tried in order and more than once: ``carry`` must bear that. Raises what ``carry`` raises for another reason.
    """
    try:
        carry([write for _, write in entries])
    except Exception as error:
        if not lies_in_rows(error):
            raise
        if len(entries) == 1:
            seq, write = entries[0]
            return [Refused(seq, kind_of(write).TABLE, str(error))]
    else:
        return []
    half = len(entries) // 2
    return sift(entries[:half], carry) + sift(entries[half:], carry)
