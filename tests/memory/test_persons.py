"""Whom a text is about; what is somebody else's is no answer about me, where mine is known (R14, R26)."""

from __future__ import annotations

import pytest

from memory.persons import name_given, persons
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
