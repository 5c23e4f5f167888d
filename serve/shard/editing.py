"""The user's own hand on memories: remember, correct, revert, delete, clear (R31)."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Sequence
from datetime import datetime

from lake.erasure import renew_sealed
from lake.store import Put, Write
from memory import edits
from memory.adjudicate import adjudicate
from memory.extract.stated import stated
from memory.normalise import statement_key
from memory.privacy import SENSITIVE, agrees, names_a_secret, redact, withhold
from memory.remember import apply
from memory.slot import follow
from memory.statement import Statement
from memory.summary_upkeep import without_deleted
from schemas.conversation import Conversation
from schemas.errors import Conflict, InvalidRequest, NotFound
from schemas.memory import Change, Kind, Memory
from schemas.memory_api import MemoryIn, MemoryPatch
from serve.shard.active import ActiveUser
from serve.shard.ledger import erase, record
from serve.shard.resources import Resources
from serve.unicode import has_text, whole

Versions = Collection[int] | None
"""Those that a client has read and may change; None: whatever it is now."""
_LIVING = ("active", "probation")
_VISIBLE = "LNS"
"""Unicode categories that say something: letters, digits, signs (emoji among them)."""


class Editing:
    """Edits are decisions like any other: versioned, with a reason, and a way back. Call its methods under the user's lock."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources

    async def remember(self, active: ActiveUser, request: MemoryIn) -> Memory:
        """Add a statement as written; one that is there already is confirmed, one it supersedes is retired."""
        text, key, scene = _kept(active, _clean(request.text)), _cleaned(request.key, "key"), _cleaned(request.scene, "scene")
        now = active.moments.take()
        statement = await self._stated(text, now, kind=request.kind, key=key, scene=scene)
        decision = adjudicate(statement, active.memories.all(), now)
        memories, changes = apply(decision, statement, user=active.user, turn_id=None, at=now, new_id=self._resources.new_id)
        if not memories:
            raise InvalidRequest("There is nothing to remember in this text.", param="text")
        written = await record(self._resources, active, memories, [change.but(actor="user") for change in changes])
        return next((memory for memory in written if memory.status == "active"), written[-1])

    async def edit(self, active: ActiveUser, id: str, patch: MemoryPatch, versions: Versions) -> Memory:
        """Change some fields; none changed, nothing is written. Raises NotFound, Conflict."""
        memory = _correctable(held(active, id, versions))
        text, key, scene = _cleaned(patch.text, "text"), _cleaned(patch.key, "key"), _cleaned(patch.scene, "scene")
        text = _kept(active, text) if text is not None else None
        wanted = edits.Edit(text=text, kind=patch.kind, key=key, scene=scene, priority=patch.priority)
        if not edits.changes(memory, wanted):
            return memory
        at = active.moments.take()
        edited, change = edits.edit(memory, await self._followed(memory, wanted, at), at=at, new_id=self._resources.new_id)
        _require_single(active, edited)
        return (await record(self._resources, active, [edited], [change]))[0]

    async def revert(self, active: ActiveUser, id: str, version: int | None, versions: Versions, history: Sequence[Change]) -> Memory:
        """Bring back the text of an earlier version. Raises NotFound, Conflict, InvalidRequest."""
        memory = _correctable(held(active, id, versions))
        at = active.moments.take()
        wanted = await self._followed(memory, edits.earlier(memory, history, version), at)
        reverted, change = edits.revert(memory, history, version, wanted, at=at, new_id=self._resources.new_id)
        _require_single(active, reverted)
        return (await record(self._resources, active, [reverted], [change]))[0]

    async def _followed(self, memory: Memory, wanted: edits.Edit, at: datetime) -> edits.Edit:
        """With the slot that the new words have."""
        if wanted.text is None:
            return wanted
        return follow(memory, wanted, await self._stated(memory.text, at), await self._stated(wanted.text, at))

    async def _stated(
        self, text: str, at: datetime, kind: Kind | None = None, key: str | None = None, scene: str | None = None
    ) -> Statement:
        extractor, zone = self._resources.extractor, self._resources.zone
        return await self._resources.in_thread(lambda: stated(text, extractor, at=at, zone=zone, kind=kind, key=key, scene=scene))

    async def delete(self, active: ActiveUser, memories: Sequence[Memory], *, buried: bool = True) -> int:
        """Delete memories: their rows go and their words wherever a history quotes them; tombstones stay where they are ``buried``."""
        if not memories:
            return 0
        now = active.moments.take()
        changes = await self._resources.in_thread(lambda: self._resources.store.rows(Change, active.user))
        gone = [edits.delete(memory, changes, at=now, new_id=self._resources.new_id) for memory in memories]
        stones = list({stone.id: stone for stones, _ in gone for stone in stones}.values()) if buried else []
        ids = {memory.id for memory in memories}
        quoting, blanked = edits.blot_out(memories, [one for one in active.memories.all() if one.id not in ids], changes)
        retold = self._retold(active, memories, changes)
        beside: list[Write] = [
            Put(retold),
            *([Put(stones)] if stones else []),
            Put([*blanked, *(change for _, change in gone)]),
            *([Put(quoting)] if quoting else []),
        ]
        await erase(self._resources, active, sorted(ids), beside=beside)
        await self._resources.in_thread(lambda: renew_sealed(self._resources.store, self._resources.logs, blanked))
        for memory in quoting:
            active.memories.renew(memory)
        active.tombstones += stones
        active.conversations |= {row.id: row for row in retold}
        return len(memories)

    def _retold(self, active: ActiveUser, memories: Sequence[Memory], changes: Sequence[Change]) -> list[Conversation]:
        """Conversations without the summaries that may tell what these memories ever said."""
        turns = {id for memory in memories for id in memory.turns}
        sources = {turn.conversation for id in turns if (turn := active.turns.get(id)) is not None}
        return without_deleted(list(active.conversations.values()), sources, edits.wordings(memories, changes))


def held(active: ActiveUser, id: str, versions: Versions = None) -> Memory:
    """The user's memory. Raises NotFound, and Conflict when its version is none of ``versions``."""
    memory = active.memories.get(id)
    if memory is None:
        raise NotFound("No such memory.", param="memory_id")
    if versions is not None and memory.version not in versions:
        read = ", ".join(map(str, sorted(versions)))
        raise Conflict(f"It is at version {memory.version} now, not {read}: read it again.", param="If-Match")
    return memory


def _correctable(memory: Memory) -> Memory:
    """Raises Conflict where another memory took its place: words that no longer hold are not corrected, they are history."""
    if memory.status == "deprecated":
        raise Conflict(
            "This memory was replaced and is kept as history: correct the one that holds now, or delete this one.",
            code="memory_deprecated",
            param="memory_id",
        )
    return memory


def _require_single(active: ActiveUser, edited: Memory) -> None:
    """One statement, one living row (R8). Raises Conflict that names the other one."""
    if edited.status not in _LIVING:
        return
    said = (edited.subject, edited.scene, statement_key(edited.text))
    for other in active.memories.all():
        if other.status in _LIVING and other.id != edited.id and (other.subject, other.scene, statement_key(other.text)) == said:
            raise Conflict(f"Memory {other.id} says the same already: keep one of the two.", code="duplicate_memory", param="text")


def of_kind(active: ActiveUser, kind: Kind | None) -> list[Memory]:
    """The user's memories of a kind, or all."""
    return [memory for memory in active.memories.all() if kind is None or memory.kind == kind]


def _cleaned(text: str | None, param: str) -> str | None:
    return None if text is None else _clean(text, param)


def _kept(active: ActiveUser, text: str) -> str:
    """A text that may be kept. Raises InvalidRequest that names the leave that is missing."""
    held = withhold(text, SENSITIVE - active.agreed)
    if "state" in held.matters:
        raise InvalidRequest("Affairs of state that are not public are never stored.", param="text", code="never_stored")
    if held.matters and not agrees(text):
        missing = ", ".join(sorted(held.matters))
        raise InvalidRequest(
            f"This is about {missing}, kept only with the user's leave: `laoma consent give {sorted(held.matters)[0]}` or PUT /v1/consents",
            param="text",
            code="consent_required",
        )
    return text


def _clean(text: str, param: str = "text") -> str:
    redaction = redact(whole(text).strip())
    if not any(unicodedata.category(char)[0] in _VISIBLE and has_text(char) for char in redaction.text):
        raise InvalidRequest(f"The {param} has no letter, digit or sign in it.", param=param)
    if redaction.never or (param == "text" and names_a_secret(redaction.text)):
        raise InvalidRequest("This is a secret or an identity number: it is never stored.", param=param, code="never_stored")
    return redaction.text
