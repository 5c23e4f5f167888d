"""Whom a text is about; what is somebody else's is no answer about me, where mine is known (R14, R26)."""

from __future__ import annotations

import pytest

from memory.persons import about_all, apart, holders, name_given, persons
from tests.serve.conftest import embedder, house
from tests.serve.house import House

__all__ = ["embedder", "house"]


@pytest.mark.parametrize(
    ("text", "whom"),
    [
        ("我的生日在五月", set()),
        ("我对象的生日在十月", {"partner"}),
        ("我妈不吃生冷的", {"mother"}),
        ("My desk is by the window.", set()),
        ("Yuki's desk is upstairs.", {"yuki"}),
        ("What's the time?", set()),
        ("我发了朋友圈", set()),
        ("My dad and my sister cook.", {"father", "sister"}),
    ],
)
def test_whom_a_text_names(text: str, whom: set[str]) -> None:
    assert persons(text) == whom


@pytest.mark.parametrize(
    ("text", "name"), [("我家的狗叫豆包", "豆包"), ("Our cat is called Pepper.", "Pepper"), ("我喜欢喝茶", None), ("他叫我回家吃饭", None)]
)
def test_a_name_that_is_given(text: str, name: str | None) -> None:
    assert name_given(text) == name


@pytest.mark.parametrize(
    ("text", "whom"),
    [
        ("我妈不吃生冷的", {"mother"}),
        ("我和朋友每周爬山", set()),
        ("周末常常陪着女儿去练琴", set()),
        ("Yuki's desk is upstairs.", {"yuki"}),
        ("My sister paints.", {"sister"}),
        ("I cook for my dad.", set()),
    ],
)
def test_of_whom_a_statement_tells(text: str, whom: set[str]) -> None:
    assert holders(text) == whom


def test_two_relations_or_two_names_are_apart_a_name_may_be_any_relation() -> None:
    assert apart(frozenset({"mother"}), frozenset({"father"}))
    assert apart(frozenset({"yuki"}), frozenset({"kenji"}))
    assert not apart(frozenset({"yuki"}), frozenset({"friend"}))
    assert not apart(frozenset(), frozenset({"friend"}))


@pytest.mark.parametrize(("question", "all_"), [("我家谁怕辣？", True), ("Who in our family skis?", True), ("我怕辣吗？", False)])
def test_a_question_about_a_family_leaves_nobody_out(question: str, all_: bool) -> None:
    assert about_all(question) is all_


async def test_asked_about_one_parent_the_other_is_not_told(house: House) -> None:
    await house.tell("ming", "我妈不吃海鲜。", "我爸天天要喝两盅白酒。")
    assert await house.recalled("ming", "我妈吃饭要注意什么？") == ["我妈不吃海鲜"]


async def test_what_is_somebody_elses_is_no_answer_about_me(house: House) -> None:
    await house.tell("ming", "我的生日在五月。", "我对象的生日在十月。")
    assert await house.recalled("ming", "我的生日是几月？") == ["我的生日在五月"]
    assert await house.recalled("ming", "我对象的生日是几月？") == ["我对象的生日在十月"]


async def test_of_the_only_one_known_more_is_told_than_nothing(house: House) -> None:
    await house.tell("ming", "我对象的生日在十月。")
    assert "我对象的生日在十月" in await house.recalled("ming", "我对象的生日是几月？")


async def test_more_about_somebody_named_completes_what_is_known(house: House) -> None:
    await house.tell("ming", "我家的狗叫豆包。", conversation="a")
    await house.tell("ming", "豆包是柯基，今年四岁。", conversation="b")
    texts = [one["text"] for one in await house.memories("ming")]
    assert len(texts) == 1
    assert "豆包" in texts[0]
    assert "柯基" in texts[0]
