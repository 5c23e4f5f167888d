"""Which summary a conversation is to get next, and which it keeps (R2): one each step, and now and then one in the place of all."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from memory.normalise import fold, statement_key
from memory.summary import Summary, chain, stored_summaries
from memory.window import beginnings, leaving, step_of
from memory.working import Gap, gaps
from schemas.conversation import Conversation
from schemas.settings import Window
from schemas.turn import Turn

MOST = 24
"""Summaries that a conversation keeps of branches that it is not on."""


@dataclass(frozen=True)
class Due:
    """``gap``: what is to be summed up; ``earlier``: summaries that are taken up into the new one, which then covers all before it;
    ``long``: so much is missing that no model is to read it."""

    gap: Gap
    earlier: tuple[Summary, ...] = ()
    long: bool = False

    @property
    def since(self) -> int:
        """Where the new summary begins."""
        return 0 if self.earlier else self.gap.since


def due(branch: Sequence[Turn], stored: Sequence[Summary], settings: Window) -> Due | None:
    """The next summary to be written for a branch that ends with a reply; None: there is none to write.

    It is written before its exchanges leave the window, half a step ahead. Past each ``settings.renew`` exchanges the new one takes up all
    before it.
    """
    begins = beginnings([turn.role for turn in branch])
    step = step_of(keep=settings.exchanges, step=settings.step)
    ahead = len(begins) + max(1, step // 2)
    wanted = min(leaving(ahead, keep=settings.exchanges, step=settings.step), len(begins))
    known = chain(stored, {turn.id: place for place, turn in enumerate(branch)}, len(branch))
    covered = known[-1].upto if known else 0
    if covered >= wanted:
        return None
    gap = gaps(covered, wanted, step)[0]
    renews = gap.upto // settings.renew > gap.since // settings.renew
    return Due(gap, earlier=tuple(known) if renews else (), long=gap.upto - gap.since > step)


def with_summary(lines: Sequence[str], new: Summary, branch: Sequence[Turn], settings: Window) -> list[str]:
    """The summaries of a conversation with one more. What one that has left the window covers is gone, and of other
    branches the oldest past :data:`MOST`; lines of an import stay."""
    places = {turn.id for turn in branch}
    left = leaving(len(beginnings([turn.role for turn in branch])), keep=settings.exchanges, step=settings.step)
    own = stored_summaries(lines)
    whole = max((one.upto for one in own if one.through in places and one.since == 0 and one.upto <= left), default=0)
    kept = [one for one in own if one.through not in places or one.upto > whole or (one.since == 0 and one.upto == whole)]
    kept = [one for one in kept if (one.since, one.through) != (new.since, new.through)]
    aside, own = [one for one in kept if one.through not in places], [one for one in kept if one.through in places]
    return [*others(lines), *(one.stored() for one in [*aside[-MOST:], *own, new])]


def others(lines: Sequence[str]) -> list[str]:
    """The lines that are no summaries of exchanges: what an import left."""
    return [line for line in lines if not stored_summaries([line])]


def without_deleted(conversations: Sequence[Conversation], sources: Collection[str], texts: Collection[str]) -> list[Conversation]:
    """Those of the conversations whose summaries may tell what was deleted, without them: they are written anew.

    ``sources``: conversations in which it was said; ``texts``: its words.
    """
    words = [key for text in texts if (key := statement_key(text))]
    changed = []
    for one in conversations:
        if one.summaries and (one.id in sources or any(word in fold(line) for line in one.summaries for word in words)):
            changed.append(one.but(summaries=[]))
    return changed
