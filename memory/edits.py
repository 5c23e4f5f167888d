"""What the user does to a memory by hand: correct it, delete it, take it back to an earlier version (R31)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.extract.split import clauses, sentences
from memory.normalise import digest, statement_key
from memory.statement import Statement
from schemas.errors import NotFound
from schemas.memory import Action, Actor, Change, Kind, Memory, Tombstone
from schemas.turn import Turn

NewId = Callable[[], str]


@dataclass(frozen=True)
class Edit:
    """The fields that a user may change; None leaves one as it is."""

    text: str | None = None
    kind: Kind | None = None
    key: str | None = None
    scene: str | None = None
    subject: str | None = None
    confidence: float | None = None
    importance: int | None = None
    priority: int | None = None


@dataclass(frozen=True)
class Version:
    """One earlier wording of a memory: ``number`` counts from 1."""

    number: int
    text: str


def changes(memory: Memory, wanted: Edit) -> bool:
    """Whether an edit would make anything different."""
    return any(value is not None and value != getattr(memory, name) for name, value in vars(wanted).items())


def edit(
    memory: Memory, wanted: Edit, *, at: datetime, new_id: NewId, actor: Actor = "user", reason: str = "edited by the user"
) -> tuple[Memory, Change]:
    """The corrected memory, next version; active unless it was superseded. A new text comes without a vector."""
    fields = {name: value for name, value in vars(wanted).items() if value is not None}
    row = memory.but(**fields, version=memory.version + 1, updated_at=at, verified_at=at, source="explicit")
    if memory.status != "deprecated":  # what was superseded stays so: its successor holds now
        row = row.but(status="active", valid_to=None)
    if row.text != memory.text:
        row = row.but(previous=memory.text, vector=None, embedder=None)
    return row, _change(memory, "edit", row.text, at, new_id, actor, reason)


def delete(
    memory: Memory, changes: Sequence[Change], *, at: datetime, new_id: NewId, actor: Actor = "user", reason: str = "deleted by the user"
) -> tuple[list[Tombstone], Change]:
    """The tombstones of a deleted memory, one for each wording it ever had, and a change that keeps no text."""
    texts = dict.fromkeys([*(version.text for version in versions(memory, changes)), *([memory.previous] if memory.previous else [])])
    key = memory.key.split("/", 1)[0]
    stones = [Tombstone(id=_stone(memory.subject, text), user=memory.user, key=key, at=at, turns=memory.turns) for text in texts]
    gone = _change(memory, "delete", None, at, new_id, actor, reason)
    return stones, gone.but(before=None)


def blot_out(gone: Sequence[Memory], others: Sequence[Memory], changes: Sequence[Change]) -> tuple[list[Memory], list[Change]]:
    """What still quotes the words of deleted memories: other memories without them as their former text, changes without them.

    Only those that quote them come back, mended; ``changes`` are all of the user's.
    """
    ids = {memory.id for memory in gone}
    words = {statement_key(text) for memory in gone for text in (memory.text, memory.previous) if text}
    words |= {statement_key(text) for change in changes if change.memory in ids for text in (change.before,) if text}

    def quotes(text: str | None) -> bool:
        return text is not None and statement_key(text) in words

    mended = [memory.but(previous=None) for memory in others if quotes(memory.previous)]
    blanked = []
    for change in changes:
        own = change.memory in ids
        before = None if own or quotes(change.before) else change.before
        after = None if own or quotes(change.after) else change.after
        if (before, after) != (change.before, change.after):
            blanked.append(change.but(before=before, after=after))
    return mended, blanked


def tombstoned(statement: Statement, tombstones: Collection[Tombstone], said_at: datetime) -> bool:
    """Whether a statement said at ``said_at`` was deleted since. What the user says anew, after the deletion, is no longer barred."""
    stone = _stone(statement.subject, statement.text)
    return any(one.id == stone and said_at <= one.at for one in tombstones)


def is_buried(memory: Memory, stones: Collection[str]) -> bool:
    """Whether one of these tombstones (their ids) is of what a memory says."""
    return _stone(memory.subject, memory.text) in stones


def wordings(memories: Sequence[Memory], changes: Sequence[Change]) -> set[str]:
    """All that these memories say and ever said."""
    ids = {memory.id for memory in memories}
    texts = {text for memory in memories for text in (memory.text, memory.previous) if text}
    return texts | {text for change in changes if change.memory in ids for text in (change.before, change.after) if text}


class Buried:
    """What a user has deleted, to be asked of many turns."""

    def __init__(self, tombstones: Collection[Tombstone]) -> None:
        self._at = {one.id: one.at for one in tombstones}
        self._turns = {id for one in tombstones for id in one.turns}

    def says(self, turn: Turn) -> bool:
        """Whether a deleted memory came from this turn, or it says its words once more without having been said anew since."""
        if turn.id in self._turns:
            return True
        if not self._at or turn.role == "assistant":
            return False
        pieces = [piece.text for sentence in sentences(turn.content) for piece in (sentence, *clauses(sentence))]
        found = [self._at[stone] for piece in pieces if (stone := _stone("user", piece)) in self._at]
        return any(turn.at <= at or turn.extraction == "skipped" for at in found)


def versions(memory: Memory, changes: Sequence[Change]) -> list[Version]:
    """The wordings of a memory, oldest first, the present one last, told from its changes (any order, of this memory)."""
    texts: list[str] = []
    for change in sorted((one for one in changes if one.memory == memory.id), key=lambda one: (one.at, one.id)):
        if not texts and change.before is not None:
            texts.append(change.before)
        if change.after is not None and change.action in _REWORDING and (not texts or texts[-1] != change.after or change.action == "edit"):
            texts.append(change.after)
    if not texts or texts[-1] != memory.text:
        texts.append(memory.text)
    first = memory.version - len(texts) + 1
    return [Version(first + i, text) for i, text in enumerate(texts) if first + i >= 1]


def earlier(memory: Memory, changes: Sequence[Change], version: int | None) -> Edit:
    """The edit that brings the wording of ``version`` back (None: the one before this). Raises NotFound without such one."""
    known = versions(memory, changes)
    wanted = _wanted(memory, version)
    found = next((one for one in known if one.number == wanted), None)
    if found is None:
        there = ", ".join(str(one.number) for one in known)
        raise NotFound(f"memory {memory.id} has no version {wanted}; there are: {there}", param="version")
    return Edit(text=found.text)


def revert(
    memory: Memory, changes: Sequence[Change], version: int | None, wanted: Edit | None = None, *, at: datetime, new_id: NewId
) -> tuple[Memory, Change]:
    """The memory as :func:`earlier` says (``wanted``, where its slot was found too), as a further version. Raises NotFound."""
    edited = wanted or earlier(memory, changes, version)
    row, change = edit(memory, edited, at=at, new_id=new_id, reason=f"reverted to version {_wanted(memory, version)}")
    return row, change.but(action="restore")


def _wanted(memory: Memory, version: int | None) -> int:
    return memory.version - 1 if version is None else version


_REWORDING = frozenset({"create", "coexist", "update", "merge", "edit", "restore"})
"""Not ``replace``: there ``after`` is what the successor says."""


def _stone(subject: str, text: str) -> str:
    """Without the slot, which may have been edited: the same words about the same person are the same statement."""
    return digest(subject, statement_key(text))


def _change(memory: Memory, action: Action, after: str | None, at: datetime, new_id: NewId, actor: Actor, reason: str) -> Change:
    return Change(
        id=new_id(), user=memory.user, memory=memory.id, at=at, action=action, before=memory.text, after=after, reason=reason, actor=actor
    )
