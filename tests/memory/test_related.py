"""What a statement does to a known one that shares no slot with it (R14): by its meaning, and only within the same user's memories."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from memory.adjudicate import Coexist, Create, Ignore, Merge, OneOff, Pend, Replace, adjudicate
from memory.heads import load
from memory.ports import Embedder
from memory.related import HEAD, Related, Relations, _related
from memory.statement import Statement
from schemas.memory import Memory
from schemas.settings import Settings
from serve.embedders import build

AT = datetime(2026, 3, 2, 4, tzinfo=UTC)


@pytest.fixture(scope="module")
def relations() -> Relations:
    return Relations(build(Settings().embedding))


def memory(text: str, id: str = "m1") -> Memory:
    row = {"id": id, "user": "u", "kind": "preference", "key": f"偏好/{id}", "text": text, "created_at": AT, "updated_at": AT}
    return Memory.model_validate(row)


def statement(text: str, **fields: Any) -> Statement:
    return Statement(kind="preference", key="偏好/new", text=text, value=text, cue="head", **fields)


@pytest.mark.parametrize(
    ("known", "said", "relation"),
    [
        ("我用安卓手机", "安卓那台卖了，现在换成苹果了", "replace"),
        ("My trainer is Tom.", "Tom left the gym, my new trainer is Ada now.", "replace"),
        ("我早上六点起床", "也许该改成七点起", "pending"),
        ("I never gamble.", "Maybe I should try a lottery ticket.", "pending"),
        ("每天给我报新闻", "今天先别报了", "once"),
        ("在公司我用微信", "在家里我用电话", "coexist"),
    ],
)
def test_the_relation_is_told_by_the_meaning(relations: Relations, known: str, said: str, relation: str) -> None:
    found = relations.of(said, [memory("我养了一只叫团子的猫", "m0"), memory(known)])
    assert found is not None
    assert (found.memory.id, found.relation) == ("m1", relation)


@pytest.mark.parametrize(("known", "said"), [("我住在苏州", "我儿子在学大提琴"), ("I live in Leeds.", "My car is a diesel.")])
def test_another_matter_is_no_relation(relations: Relations, known: str, said: str) -> None:
    found = relations.of(said, [memory(known)])
    assert found is None or found.share < 0.4


def test_each_relation_has_its_decision() -> None:
    known = memory("我用安卓手机")
    said = statement("换成苹果了", only_if_known=True)

    def decided(relation: Any, share: float = 0.9, one: Statement = said) -> Any:
        return adjudicate(one, [known], AT, Related(known, relation, share))

    assert isinstance(decided("replace"), Replace)
    assert isinstance(decided("pending"), Pend)
    assert isinstance(decided("once"), OneOff)
    assert isinstance(decided("coexist"), Coexist)
    merge = decided("merge")
    assert isinstance(merge, Merge)
    assert merge.text == "我用安卓手机；换成苹果了"
    assert isinstance(decided("replace", 0.2), Ignore)
    assert isinstance(decided("replace", 0.2, statement("我喜欢下棋")), Create)
    assert isinstance(decided("replace", 0.9, statement("这周用苹果", mood="once")), OneOff)


def test_what_does_not_live_is_not_touched() -> None:
    gone = memory("我用安卓手机").but(status="deprecated")
    assert isinstance(adjudicate(statement("换成苹果了"), [gone], AT, Related(gone, "replace", 0.9)), Create)
    stranger = memory("我用安卓手机").but(subject="妈妈")
    assert isinstance(adjudicate(statement("换成苹果了"), [stranger], AT, Related(stranger, "replace", 0.9)), Create)


def test_the_head_is_what_the_examples_teach() -> None:
    from eval.teach import LESSONS

    embedder = build(Settings().embedding)
    lesson = LESSONS[HEAD]()
    head, right = lesson.teach(embedder)
    stored = load("memory", HEAD, embedder.name)
    assert stored is not None
    assert right > 0.8
    table = lesson.table(lesson.rows[:60], embedder, head)
    assert (head.shares(table).argmax(1) == stored.shares(table).argmax(1)).all()


def test_without_a_head_nothing_is_related() -> None:
    class Other:
        name, dim = "another/embedder", 4

    assert Relations(Other()).of("换成苹果了", [memory("我用安卓手机")]) is None  # type: ignore[arg-type]
    embedder: Embedder = build(Settings().embedding)
    assert Relations(embedder).of("换成苹果了", []) is None


def test_what_goes_back_to_the_former_text_replaces_the_present_one(relations: Relations) -> None:
    present = memory("周报改成按人写").but(previous="周报按部门写", version=2)
    found = relations.of("还是按部门写", [present])
    assert found is not None
    assert (found.memory.id, found.relation) == ("m1", "replace")


def test_shares_of_lasting_relations_count_together() -> None:
    shares = np.array([0.3, 0.1, 0.35, 0.0, 0.0, 0.05, 0.1])
    found = _related(memory("短途我坐高铁"), shares, former=False)
    assert found is not None
    assert found.relation == "coexist"
    assert found.share == pytest.approx(1 - 0.7 * 0.9 * 0.65)
    assert _related(memory("短途我坐高铁"), shares, former=True) is None
