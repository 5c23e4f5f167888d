"""What a change is about, and what it leaves out: the value that no longer holds (R8, R14)."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from memory.adjudicate import Replace, adjudicate
from memory.change_topic import topic, with_topic
from memory.extract import filter
from memory.extract.former import without_former
from memory.extract.offline import OfflineExtractor
from memory.extract.protocol import Passage
from memory.related import Related
from memory.remember import apply
from memory.statement import Statement
from schemas.memory import Memory

AT = datetime(2026, 3, 2, 4, tzinfo=UTC)


@pytest.mark.parametrize(
    ("known", "about"),
    [
        ("旅行预算我打算控制在三万", "旅行预算"),
        ("我的房租三千六", "房租"),
        ("例会的地点是二楼", "例会的地点"),
        ("預算：提高到二十万", "預算"),
        ("Pocket money is five a week", "Pocket money"),
        ("每天背二十个单词", None),
        ("换成深色主题", None),
    ],
)
def test_the_topic_is_cut_from_the_known_words(known: str, about: str | None) -> None:
    assert topic(known) == about


@pytest.mark.parametrize(
    ("said", "known", "text"),
    [
        ("提高到五万", "旅行预算我打算控制在三万", "旅行预算：提高到五万"),
        ("Make it eight", "Pocket money is five a week", "Pocket money: Make it eight"),
        ("旅行预算提高到五万", "旅行预算我打算控制在三万", "旅行预算提高到五万"),
        ("我搬到杭州了", "我住在苏州", "我搬到杭州了"),
        ("提高到五万", "每天背二十个单词", "提高到五万"),
    ],
)
def test_a_change_that_names_no_topic_takes_that_of_what_it_replaces(said: str, known: str, text: str) -> None:
    assert with_topic(said, known) == text


def test_the_memory_that_replaces_carries_the_topic() -> None:
    old = Memory.model_validate(
        {
            "id": "m1", "user": "u", "kind": "fact", "key": "自述/旅行预算", "text": "旅行预算定在三万", "confidence": 0.9,
            "created_at": AT, "updated_at": AT, "status": "active",
        }
    )  # fmt: skip
    said = Statement(kind="preference", key="要求/提高到五万", text="提高到五万", value="提高到五万", cue="head", only_if_known=True)
    decision = adjudicate(said, [old], AT, Related(old, "replace", 0.9))
    assert isinstance(decision, Replace)
    rows, changes = apply(decision, said, user="u", turn_id="t1", at=AT, new_id=lambda: "m2")
    assert {row.text: row.status for row in rows} == {"旅行预算定在三万": "deprecated", "旅行预算：提高到五万": "active"}
    assert all(change.after == "旅行预算：提高到五万" for change in changes)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Now I answer to Priya, not Carl any more", "Now I answer to Priya"),
        ("我现在用飞书，不用钉钉了", "我现在用飞书"),
        ("我喜欢茶，不喜欢咖啡", "我喜欢茶，不喜欢咖啡"),
        ("I like tea, not coffee", "I like tea, not coffee"),
        ("不用钉钉了", "不用钉钉了"),
    ],
)
def test_what_it_was_before_is_left_out(text: str, kept: str) -> None:
    assert without_former(text) == kept


def test_a_bare_change_keeps_the_clause_that_names_its_topic() -> None:
    [found] = OfflineExtractor().extract(Passage("读书会换场地了，以后改到河边的茶馆", AT, ZoneInfo("Asia/Shanghai")))
    assert found.text == "读书会换场地了，以后改到河边的茶馆"


def test_this_month_day_after_day_is_a_habit() -> None:
    assert filter.mood("这一个月天天骑车去") == "plain"
    assert filter.mood("这个月先坐公交") == "once"
