"""The life of a memory over years, in a second: R10, R11, R13, R16-R19."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from memory.drift import checked, needs_look
from memory.life import Step, review, seen_again
from memory.old_events import KEY, merged
from memory.profile import standing
from schemas.memory import Change, Memory
from schemas.settings import Briefing, Life
from schemas.turn import Turn

START = datetime(2026, 1, 5, 4, tzinfo=UTC)
LIFE = Life()
SHANGHAI = ZoneInfo("Asia/Shanghai")


def memory(id: str = "m1", **fields: Any) -> Memory:
    row = {"id": id, "user": "u", "kind": "preference", "key": "偏好/茶", "text": "我喜欢喝茶", "created_at": START, "updated_at": START}
    return Memory.model_validate({**row, "verified_at": START, "turns": ["t1"], **fields})


def turn(id: str, day: float, conversation: str, content: str = "我喜欢喝茶") -> Turn:
    row = {"id": id, "user": "u", "conversation": conversation, "exchange": id, "role": "user", "content": content}
    return Turn.model_validate({**row, "at": START + timedelta(days=day)})


def live(memories: Sequence[Memory], days: int, life: Life = LIFE) -> tuple[list[Memory], list[tuple[int, str, str]]]:
    """Review every day for so many days; the memories at the end and what happened on which day."""
    held = {one.id: one for one in memories}
    changes: list[Change] = []
    told: list[tuple[int, str, str]] = []
    numbers = itertools.count()
    for day in range(1, days + 1):
        at = START + timedelta(days=day)
        for step in review(held.values(), changes, at, life):
            held[step.memory.id] = step.memory
            row = {"id": f"c{next(numbers)}", "user": "u", "memory": step.memory.id, "at": at, "action": step.action, "reason": step.reason}
            changes.append(Change.model_validate({**row, "actor": "job"}))
            told.append((day, step.memory.id, step.action))
    return list(held.values()), told


def test_four_hundred_days_in_the_life_of_a_household() -> None:
    memories = [
        memory("name", kind="profile", key="资料/姓名", text="我叫林晚"),
        memory("allergy", kind="fact", key="健康/过敏/花生", text="我对花生过敏", priority=2),
        memory("tea"),
        memory("guess", text="常问到手冲", key="兴趣/手冲", source="inferred", status="probation", confidence=0.6),
        memory("rent", kind="fact", key="自述/房租", text="房租三千六"),
        memory("trip", kind="event", key="经历/昆明", text="去昆明玩了五天"),
        memory("cold", kind="event", key="近况/感冒", text="我感冒了"),
        memory("doubt", status="pending", text="我可能不喝茶了"),
    ]
    after, told = live(memories, 400)
    assert told == [
        (7, "cold", "archive"),
        (30, "guess", "archive"),
        (30, "doubt", "archive"),
        (90, "tea", "expire"),
        (90, "rent", "archive"),
        (180, "trip", "archive"),
        (300, "tea", "archive"),
    ]
    by_id = {one.id: one for one in after}
    assert by_id["name"].confidence == by_id["allergy"].confidence == 0.9
    assert {id for id, one in by_id.items() if one.status == "active"} == {"name", "allergy"}


def test_who_the_user_is_lapses_after_two_years_but_stays() -> None:
    [name], told = live([memory("name", kind="profile", key="资料/住址", text="我住在苏州")], 1500)
    assert told == [(730, "name", "expire")]
    assert (name.status, name.confidence) == ("active", 0.45)


def test_what_is_used_or_said_again_does_not_fade() -> None:
    used = memory(kind="fact", accessed_at=START + timedelta(days=350))
    assert live([used], 400)[1] == []
    again = memory(verified_at=START + timedelta(days=80))
    assert live([again], 169)[1] == []
    assert live([again], 170)[1] == [(170, "m1", "expire")]


def test_a_second_span_takes_confidence_again_only_after_it_was_confirmed_in_between() -> None:
    lapsed = Change.model_validate(
        {"id": "c", "user": "u", "memory": "m1", "at": START + timedelta(days=90), "action": "expire", "reason": "r", "actor": "job"}
    )
    confirmed = memory(verified_at=START + timedelta(days=100))
    at = START + timedelta(days=191)
    assert [step.action for step in review([confirmed], [lapsed], at, LIFE)] == ["expire"]
    assert review([memory()], [lapsed], START + timedelta(days=95), LIFE) == []


def test_reviewing_again_at_the_same_time_does_nothing_more() -> None:
    at = START + timedelta(days=91)
    [step] = review([memory(kind="fact")], [], at, LIFE)
    assert review([step.memory], [], at, LIFE) == []


def test_what_a_doubt_had_shaken_gets_its_confidence_back() -> None:
    known, doubt = memory("known", confidence=0.72), memory("doubt", status="pending", text="我可能不喝茶了")
    steps = {step.memory.id: step for step in review([known, doubt], [], START + timedelta(days=31), LIFE)}
    assert (steps["doubt"].action, steps["known"].action) == ("archive", "restore")
    assert steps["known"].memory.confidence == 0.9
    assert "doubt" in steps["known"].reason


def test_a_guess_stands_once_two_conversations_within_three_days_have_it() -> None:
    guess = memory(source="inferred", status="probation", confidence=0.6)
    near = seen_again(guess, [turn("a", 0, "one"), turn("b", 2, "two")], LIFE)
    assert near is not None
    assert (near.action, near.memory.status) == ("promote", "active")
    assert seen_again(guess, [turn("a", 0, "one"), turn("b", 0.1, "one")], LIFE) is None
    assert seen_again(guess, [turn("a", 0, "one"), turn("b", 5, "two")], LIFE) is None


def test_three_conversations_bring_a_memory_that_is_used_into_the_profile_once() -> None:
    sights = [turn(str(day), day, f"talk-{day}") for day in (0, 10, 20)]
    told = memory(accessed_at=START, access_count=2, confirmations=2)
    step = seen_again(told, sights, LIFE)
    assert step is not None
    assert step.action == "promote"
    assert standing([step.memory], Briefing(), START) == [step.memory]
    assert seen_again(memory(confirmations=2), sights, LIFE) is None  # never used
    assert seen_again(told, sights[:2], LIFE) is None
    assert seen_again(told, [*sights, turn("x", 30, "talk-30")], LIFE) is None  # promoted already


def test_old_events_of_a_month_become_one_in_the_users_own_words() -> None:
    days = [datetime(2026, 1, day, 4, tzinfo=UTC) for day in (6, 12, 20)]
    texts = ("去昆明玩了五天", "在洱海骑车摔了一跤", "回程的航班晚点了三小时")
    events = [
        memory(f"e{n}", kind="event", key=f"经历事/{n}", text=text, created_at=day, valid_from=day, turns=[f"t{n}"])
        for n, (day, text) in enumerate(zip(days, texts, strict=True))
    ]
    at = datetime(2026, 5, 1, tzinfo=UTC)
    steps = merged(events, at, SHANGHAI, LIFE, lambda: "new")
    assert [step.action for step in steps] == ["merge", "archive", "archive", "archive"]
    summary = steps[0].memory
    assert summary.text.startswith("2026-01：")
    assert all(text in summary.text for text in texts)
    assert summary.turns == ["t0", "t1", "t2"]
    assert summary.key == f"{KEY}2026-01"
    assert merged([step.memory for step in steps], at, SHANGHAI, LIFE, lambda: "again") == []
    assert merged(events[:2], at, SHANGHAI, LIFE, lambda: "x") == []
    assert merged(events, days[-1], SHANGHAI, LIFE, lambda: "x") == []


def nearness(table: dict[str, float]) -> Any:
    return lambda text, others: table.get(text, -1.0) if others else -1.0


def test_a_memory_that_moved_away_from_what_was_said_goes_back() -> None:
    moved = memory(text="我讨厌喝茶", previous="我喜欢喝茶", version=3)
    assert needs_look(moved, LIFE)
    step = checked(moved, [turn("t1", 0, "one")], nearness({"我讨厌喝茶": 0.1, "我喜欢喝茶": 0.9}), START, LIFE)
    assert step is not None
    assert (step.action, step.memory.text, step.memory.previous, step.memory.version) == ("restore", "我喜欢喝茶", "我讨厌喝茶", 4)


def test_one_with_no_better_text_is_doubted_and_one_that_stands_is_left() -> None:
    def look(table: dict[str, float], source: Sequence[Turn]) -> Step | None:
        return checked(memory(text="甲", previous="乙", version=3), source, nearness(table), START, LIFE)

    said = [turn("t1", 0, "one")]
    doubted = look({"甲": 0.1, "乙": 0.2}, said)
    assert doubted is not None
    assert (doubted.action, doubted.memory.confidence) == ("demote", 0.45)
    assert look({"甲": 0.6, "乙": 0.9}, said) is None
    assert look({"甲": 0.1}, []) is None  # nothing is left to compare with
    assert not needs_look(memory(version=2), LIFE)


@pytest.mark.parametrize("days", [0, 29])
def test_nothing_happens_before_its_time(days: int) -> None:
    rows = [memory("a"), memory("b", status="probation"), memory("c", status="pending"), memory("d", kind="fact")]
    assert live(rows, days)[1] == []
