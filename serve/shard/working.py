"""Working memory of a request (R1, R2): what of the client's messages leaves the window, and the summary in its place.

Nothing of it is a state of its own: it is derived, request by request, from the stored turns of the branch that the client is on and
from the summaries that the conversation keeps. So it outlives a crash, and a client that edits or regenerates is followed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory.edits import Buried
from memory.extract.protocol import Said
from memory.summary import Summary, rendered, stored_summaries
from memory.summary_by_rule import by_rule
from memory.window import Cut, cut, step_of
from memory.working import summaries_of
from schemas.exchange import Opening
from schemas.turn import Turn
from serve.shard.active import ActiveUser
from serve.shard.masking import masked, storable_dialogue
from serve.shard.resources import Resources


@dataclass(frozen=True)
class Window:
    """``cut``: messages at the front of the client's list that leave; ``summary``: what stands in their place."""

    cut: int = 0
    summary: str = ""


class WorkingMemory:
    """Asked around each exchange."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources

    def of(self, active: ActiveUser, opening: Opening, parent: str) -> Window:
        """For a request whose last message is stored as ``parent``."""
        branch = branch_of(active, parent)
        leaving = self._cut([turn.role for turn in branch], len(opening.messages))
        if leaving is None:
            return Window()
        conversation = active.conversations.get(branch[-1].conversation)
        stored = stored_summaries(conversation.summaries) if conversation is not None else []
        settings = self._resources.settings.window
        step = step_of(keep=settings.exchanges, step=settings.step)
        told = summaries_of(branch, leaving.exchanges, stored, step=step, silent=Buried(active.tombstones).says)
        return Window(leaving.messages, rendered(told))

    async def unstored(self, active: ActiveUser, opening: Opening) -> Window:
        """For a request of which nothing is stored: from its own messages alone."""
        leaving = self._cut([spoken.role for spoken in opening.messages], len(opening.messages))
        if leaving is None:
            return Window()
        said = [(spoken.role, spoken.text) for spoken in opening.messages[: leaving.messages]]
        plain = storable_dialogue(
            [(role, text) for (role, _), text in zip(said, await masked(self._resources, said), strict=True)], active.agreed
        )
        told = by_rule([Said(spoken.role, text) for spoken, text in zip(opening.messages, plain, strict=False)])
        return Window(leaving.messages, rendered([Summary.of(told, since=0, upto=leaving.exchanges, through="", by="rule")]))

    def _cut(self, roles: Sequence[str], sent: int) -> Cut | None:
        settings = self._resources.settings.window
        return cut(roles, sent, keep=settings.exchanges, step=settings.step)


def branch_of(active: ActiveUser, last: str) -> list[Turn]:
    """The turns from the beginning of a conversation down to ``last``."""
    found: list[Turn] = []
    seen: set[str] = set()
    turn = active.turns.get(last)
    while turn is not None and turn.id not in seen:
        seen.add(turn.id)
        found.append(turn)
        turn = active.turns.get(turn.parent) if turn.parent is not None else None
    return found[::-1]
