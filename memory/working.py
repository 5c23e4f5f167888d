"""Working memory (R1, R2): what of a conversation a request carries verbatim, and what stands in the place of the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from memory.extract.protocol import Said
from memory.summary import Summary, chain
from memory.summary_by_rule import by_rule
from memory.window import beginnings
from schemas.turn import Turn

Silent = Callable[[Turn], bool]
_STEPS_APART = 3
"""What no summary covers is told step by step, so far back; what lies farther, all together."""


def _nothing(_: Turn) -> bool:
    return False


@dataclass(frozen=True)
class Gap:
    """Exchanges ``since`` (not counted) to ``upto`` of a branch that no summary covers."""

    since: int
    upto: int


def summaries_of(
    branch: Sequence[Turn], exchanges: int, stored: Sequence[Summary], *, step: int, silent: Silent = _nothing
) -> list[Summary]:
    """What stands for the first ``exchanges`` of a branch: the stored summaries as far as they reach, for the rest a rule's own.

    ``silent`` tells the turns that say what the user had deleted: their exchanges are not quoted.
    """
    begins = beginnings([turn.role for turn in branch])
    end = _end(branch, begins, exchanges)
    known = chain(stored, {turn.id: place for place, turn in enumerate(branch)}, end)
    covered = known[-1].upto if known else 0
    return [*known, *(extract(branch, gap, silent=silent) for gap in gaps(covered, exchanges, step))]


def gaps(covered: int, exchanges: int, step: int) -> list[Gap]:
    """How what lies between ``covered`` and ``exchanges`` is told: in steps, the farther past in one."""
    far = covered + max(0, (exchanges - covered - 1) // step - _STEPS_APART + 1) * step
    bounds = [*([covered] if far > covered else []), *range(far, exchanges, step), exchanges]
    return [Gap(since, upto) for since, upto in pairwise(bounds)]


def extract(branch: Sequence[Turn], gap: Gap, *, silent: Silent = _nothing) -> Summary:
    """A rule's summary of some exchanges of a branch."""
    turns = exchanges_of(branch, gap)
    left_out = {turn.exchange for turn in turns if silent(turn)}
    said = [Said(turn.role, turn.content) for turn in turns if turn.exchange not in left_out]
    return Summary.of(by_rule(said), since=gap.since, upto=gap.upto, through=turns[-1].id, by="rule")


def exchanges_of(branch: Sequence[Turn], gap: Gap) -> Sequence[Turn]:
    """The turns of some exchanges of a branch; what comes before its first exchange belongs to that."""
    begins = beginnings([turn.role for turn in branch])
    return branch[begins[gap.since] if gap.since else 0 : _end(branch, begins, gap.upto)]


def _end(branch: Sequence[Turn], begins: Sequence[int], exchanges: int) -> int:
    return begins[exchanges] if exchanges < len(begins) else len(branch)
