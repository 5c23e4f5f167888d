"""R1, R2: what stands for the exchanges that have left, whether they were summarised yet or not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from memory.summary import Summary, Told
from memory.working import Gap, gaps, summaries_of
from schemas.turn import Turn

_AT = datetime(2026, 3, 2, tzinfo=UTC)


def talk(exchanges: int, branch: str = "t") -> list[Turn]:
    turns: list[Turn] = []
    for number in range(2 * exchanges):
        user = number % 2 == 0
        turns.append(
            Turn(
                id=f"{branch}{number}",
                user="ming",
                conversation="c",
                exchange=f"e{number // 2}",
                parent=turns[-1].id if turns else None,
                at=_AT + timedelta(minutes=number),
                role="user" if user else "assistant",
                content=f"我们来说说第{number // 2 + 1}件事情" if user else f"第{number // 2 + 1}件事情就这样办",
            )
        )
    return turns


@given(covered=st.integers(0, 20), steps=st.integers(0, 40), step=st.integers(1, 9))
def test_gaps_cover_all_that_is_missing_once_and_are_few(covered: int, steps: int, step: int) -> None:
    exchanges = covered * step + steps * step
    found = gaps(covered * step, exchanges, step)
    assert [number for gap in found for number in range(gap.since, gap.upto)] == list(range(covered * step, exchanges))
    assert len(found) <= 4


def test_without_summaries_each_step_is_told_by_a_rule() -> None:
    told = summaries_of(talk(25), 6, [], step=6)
    assert [(one.since, one.upto, one.through, one.by) for one in told] == [(0, 6, "t11", "rule")]
    assert told[0].topic == "我们来说说第1件事情"
    assert told[0].assistant_decision == "第6件事情就这样办"


def test_a_stored_summary_is_used_and_a_rule_tells_the_rest() -> None:
    stored = Summary.of(Told(topic="前六件"), since=0, upto=6, through="t11", by="model")
    told = summaries_of(talk(33), 12, [stored], step=6)
    assert told[0] == stored
    assert [(one.since, one.upto, one.by) for one in told] == [(0, 6, "model"), (6, 12, "rule")]


def test_an_exchange_whose_words_were_deleted_is_not_quoted() -> None:
    told = summaries_of(talk(25), 6, [], step=6, silent=lambda turn: turn.id == "t0")
    assert told[0].topic == "我们来说说第2件事情"
    assert "第1件" not in told[0].stored()


def test_far_behind_what_lies_farther_is_told_together() -> None:
    assert gaps(0, 60, 6) == [Gap(0, 42), Gap(42, 48), Gap(48, 54), Gap(54, 60)]
