"""R2: every 6 exchanges one summary, past every 20 one in the place of all, and what was deleted stays in none."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from memory.summary import Summary, Told, chain, stored_summaries
from memory.summary_upkeep import MOST, due, with_summary, without_deleted
from memory.window import leaving
from memory.working import exchanges_of
from schemas.conversation import Conversation
from schemas.settings import Window
from schemas.turn import Turn
from tests.memory.test_working import talk

_DAY = json.dumps({"day": "2024-01-01", "topic": "我对花生过敏"}, ensure_ascii=False)


def write(branch: Sequence[Turn], lines: list[str], settings: Window) -> tuple[list[str], list[tuple[int, int, bool]]]:
    """All that is due now; the lines after it, and (since, upto, long) of each."""
    written = []
    while (one := due(branch, stored_summaries(lines), settings)) is not None:
        through = exchanges_of(branch, one.gap)[-1].id
        new = Summary.of(Told(topic="x"), since=one.since, upto=one.gap.upto, through=through, by="rule")
        lines = with_summary(lines, new, branch, settings)
        written.append((one.since, one.gap.upto, one.long))
    return lines, written


def test_sixty_exchanges_get_one_summary_each_six_and_one_of_all_past_each_twenty() -> None:
    turns, lines, log = talk(60), [_DAY], []
    for exchanges in range(1, 61):
        lines, written = write(turns[: 2 * exchanges], lines, Window())
        log += [(exchanges, since, upto) for since, upto, _ in written]
    assert log == [
        (18, 0, 6),
        (24, 6, 12),
        (30, 12, 18),
        (36, 0, 24),
        (42, 24, 30),
        (48, 30, 36),
        (54, 0, 42),
        (60, 42, 48),
    ]
    assert lines[0] == _DAY
    assert [(one.since, one.upto) for one in stored_summaries(lines)] == [(0, 42), (42, 48)]


@given(
    exchanges=st.integers(1, 90),
    settings=st.builds(Window, exchanges=st.integers(1, 30), step=st.integers(1, 12), renew=st.integers(1, 40)),
)
def test_at_each_request_the_summaries_reach_as_far_as_the_window_left_whatever_the_settings(exchanges: int, settings: Window) -> None:
    turns, lines = talk(exchanges), list[str]()
    places = {turn.id: place for place, turn in enumerate(turns)}
    for number in range(1, exchanges):
        lines, _ = write(turns[: 2 * number], lines, settings)
        left = leaving(number + 1, keep=settings.exchanges, step=settings.step)
        known = chain(stored_summaries(lines), places, 2 * left)
        assert (known[-1].upto if known else 0) == left


def test_a_long_talk_without_summaries_is_caught_up_with_in_few() -> None:
    _, written = write(talk(300), [], Window())
    assert written[0][1:] == (270, True)
    assert len(written) == 4


def test_another_branch_is_summed_up_anew_and_the_first_keeps_its_own() -> None:
    first, second = talk(20), talk(20, "other")
    lines, _ = write(first, [], Window())
    lines, written = write(second, lines, Window())
    assert [one[:2] for one in written] == [(0, 6)]
    assert due(first, stored_summaries(lines), Window()) is None
    for number in range(2 * MOST):
        lines, _ = write(talk(20, f"b{number}-"), lines, Window())
    assert len(lines) == MOST + 1


def test_summaries_that_may_tell_what_was_deleted_are_dropped() -> None:
    at = datetime(2026, 3, 2, tzinfo=UTC)
    told = Summary.of(Told(topic="我对花生过敏，点什么菜"), since=0, upto=6, through="t", by="rule").stored()
    plain = Summary.of(Told(topic="去桂林"), since=0, upto=6, through="t", by="rule").stored()
    rows = [
        Conversation(id=id, user="ming", opened_at=at, last_at=at, summaries=lines)
        for id, lines in (("told", [told]), ("source", [plain]), ("day", [_DAY]), ("plain", [plain]), ("none", []))
    ]
    changed = without_deleted(rows, {"source", "none"}, {"我对花生过敏"})
    assert [(row.id, row.summaries) for row in changed] == [("told", []), ("source", []), ("day", [])]
