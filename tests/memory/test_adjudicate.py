"""What a new statement does to what is known (R8, R14, R15), from the user's words to the rows."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from zoneinfo import ZoneInfo

import pytest

from memory.adjudicate import Coexist, Confirm, Create, Ignore, Merge, OneOff, Pend, Replace, adjudicate
from memory.extract.offline import OfflineExtractor
from memory.extract.protocol import Passage
from memory.remember import apply
from memory.statement import Statement
from schemas.memory import Change, Memory

START = datetime(2025, 3, 1, 8, tzinfo=UTC)


class Life:
    """One user's memories over a row of turns, a day apart."""

    def __init__(self) -> None:
        self.memories: dict[str, Memory] = {}
        self.changes: list[Change] = []
        self.decisions: list[object] = []
        self._ids: Iterator[int] = count(1)
        self._day = 0

    def says(self, text: str, turn: str | None = None) -> "Life":
        at = START + timedelta(days=self._day)
        self._day += 1
        for statement in OfflineExtractor().extract(Passage(text, at, ZoneInfo("Asia/Shanghai"))):
            decision = adjudicate(statement, list(self.memories.values()), at)
            rows, changes = apply(
                decision, statement, user="u1", turn_id=turn or f"t{self._day}", at=at, new_id=lambda: f"m{next(self._ids)}"
            )
            self.decisions.append(decision)
            self.memories |= {row.id: row for row in rows}
            self.changes += changes
        return self

    @property
    def active(self) -> list[str]:
        return [memory.text for memory in self.memories.values() if memory.status == "active"]


def test_the_same_statement_again_makes_no_second_row():
    life = Life().says("我家的路由器放在书房窗台上。").says("我家的路由器放在书房窗台上")
    [memory] = life.memories.values()
    assert (memory.confirmations, memory.turns, memory.importance) == (1, ["t1", "t2"], 40)
    assert [change.action for change in life.changes] == ["create", "confirm"]


@pytest.mark.parametrize("again", ["pump code is 4-4-1", "Ｐump code is 4-4-1.", "PUMP CODE IS 4-4-1!"])
def test_case_width_and_punctuation_do_not_make_another_statement(again: str):
    assert len(Life().says("Pump code is 4-4-1.").says(again).memories) == 1


def test_a_paraphrase_with_the_same_value_confirms():
    assert isinstance(Life().says("我叫林晓舟").says("我的名字是林晓舟").decisions[-1], Confirm)


def test_confirming_keeps_the_better_of_new_and_nine_tenths_of_old_confidence():
    statement = Statement("fact", "资料/x", "我的x是1", "1", "test", confidence=0.6)
    memory = Memory(id="a", user="u1", kind="fact", key="资料/x", text="我的x是1", confidence=0.8, created_at=START, updated_at=START)
    decision = adjudicate(statement, [memory], START)
    assert isinstance(decision, Confirm)
    assert decision.confidence == pytest.approx(0.72)


def test_reading_a_turn_twice_changes_nothing():
    life = Life().says("我喜欢吃香菜", turn="t").says("我喜欢吃香菜", turn="t")
    assert len(life.changes) == 1
    assert next(iter(life.memories.values())).confirmations == 0


def test_a_new_value_of_a_single_slot_retires_the_old_one_with_a_link():
    life = Life().says("我住在泉州").says("我已经搬到厦门了")
    old, new = life.memories.values()
    assert (old.status, old.valid_to, new.status) == ("deprecated", START + timedelta(days=1), "active")
    assert (new.previous, new.version) == ("我住在泉州", 2)
    assert [change.action for change in life.changes] == ["create", "replace", "create"]
    assert new.id in life.changes[1].reason
    assert old.id in life.changes[2].reason


def test_dislike_replaces_like_of_the_same_thing():
    life = Life().says("我喜欢吃香菜").says("我现在讨厌香菜了")
    assert life.active == ["我现在讨厌香菜了"]
    assert isinstance(life.decisions[-1], Replace)


def test_another_wording_of_the_same_relation_meets_the_same_slot():
    life = Life().says("My manager is Rosa Whitlock.").says("Since the reshuffle I report to Imran Sayeed instead.")
    assert life.active == ["Since the reshuffle I report to Imran Sayeed instead"]


def test_changing_back_is_a_change_too():
    assert Life().says("我住在泉州").says("我住在厦门").says("我住在泉州").active == ["我住在泉州"]


def test_unrelated_facts_live_side_by_side():
    assert len(Life().says("我想学潜水").says("周二晚上打羽毛球").says("我妹妹叫小禾").active) == 3


def test_another_person_in_the_same_slot_retires_nothing():
    assert Life().says("我对花生过敏").says("我老婆对花生过敏").active == ["我对花生过敏", "我老婆对花生过敏"]
    assert Life().says("我老婆叫林林").says("林林是我同事的猫").active == ["我老婆叫林林", "林林是我同事的猫"]


def test_a_second_allergy_or_pet_stands_beside_the_first():
    assert len(Life().says("我对花生过敏").says("我对虾过敏").active) == 2
    assert len(Life().says("我的猫叫豆包").says("我的猫叫年糕").active) == 2


def test_more_detail_is_merged_into_the_same_memory():
    life = Life().says("我住在杭州").says("我住在杭州西湖区")
    [memory] = life.memories.values()
    assert isinstance(life.decisions[-1], Merge)
    assert (memory.text, memory.previous, memory.version) == ("我住在杭州西湖区", "我住在杭州", 2)


def test_another_scene_coexists():
    life = Life().says("I don't drink coffee at home").says("I don't drink coffee at work")
    assert len(life.active) == 2
    base = Memory(id="a", user="u1", kind="preference", key="偏好/咖啡", text="我喜欢咖啡", created_at=START, updated_at=START)
    other = Statement("preference", "偏好/咖啡", "我在家不喝咖啡", "咖啡", "test", scene="在家", polarity=False)
    assert adjudicate(other, [base], START) == Coexist(base, "在家", "both hold: generally and 在家")


def statement(**fields: object) -> Statement:
    return Statement(**{"kind": "preference", "key": "偏好/辣", "text": "我要开始吃辣了", "value": "辣", "cue": "test", **fields})  # type: ignore[arg-type]


def known(**fields: object) -> Memory:
    base = {
        "id": "a",
        "user": "u1",
        "kind": "preference",
        "key": "偏好/辣",
        "text": "我一点辣都不吃",
        "created_at": START,
        "updated_at": START,
    }
    return Memory.model_validate(base | fields)


def test_for_once_and_undecided_never_touch_the_lake():
    assert isinstance(adjudicate(statement(mood="once"), [known()], START), OneOff)
    assert isinstance(adjudicate(statement(mood="hedged"), [], START), OneOff)


def test_an_intention_against_the_profile_waits_and_shakes_the_old():
    said = statement(mood="hedged")
    decision = adjudicate(said, [known(confidence=0.9)], START)
    assert isinstance(decision, Pend)
    rows, changes = apply(decision, said, user="u1", turn_id="t", at=START, new_id=iter("bcdef").__next__)
    assert [(row.status, row.confidence) for row in rows] == [("active", 0.72), ("pending", 0.9)]
    assert [change.action for change in changes] == ["demote", "create"]


def test_an_inferred_statement_does_not_beat_an_explicit_one():
    assert isinstance(adjudicate(statement(source="inferred", confidence=0.6), [known()], START), Pend)


def test_retired_memories_are_no_rivals():
    assert isinstance(adjudicate(statement(), [known(status="deprecated")], START), Create)


def test_a_change_of_something_unknown_is_nothing():
    assert adjudicate(statement(only_if_known=True), [], START) == Ignore("changes what is not known")
