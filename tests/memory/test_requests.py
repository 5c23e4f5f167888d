"""Requests about memory are told from talk that only mentions remembering and forgetting (R29, R30)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.requests import Request, answer_to_asking, requested


@pytest.mark.parametrize(
    "said",
    [
        "你记得我什么",
        "你记得关于我的哪些信息？",
        "你都知道我些什么呢",
        "关于我你记得什么？",
        "你記得我什麼？",
        "说说你对我的记忆",
        "what do you know about me?",
        "Hey, what have you stored about me",
        "List your memories about me",
    ],
)
def test_asked_what_is_remembered(said: str) -> None:
    assert requested(said) == Request("tell")


@pytest.mark.parametrize(
    ("said", "about"),
    [
        ("忘掉我的血型", "我的血型"),
        ("忘掉我对花生过敏这件事", "我对花生过敏"),
        ("请忘掉关于香菜的记忆吧", "香菜"),
        ("把我住在苏州这件事忘了", "我住在苏州"),
        ("forget that I like tea", "I like tea"),
        ("Please forget my address.", "my address"),
        ("forget about my dentist", "my dentist"),
    ],
)
def test_asked_to_forget_something(said: str, about: str) -> None:
    assert requested(said) == Request("forget", about)


@pytest.mark.parametrize(
    "said", ["别记这个", "当我没说", "忘掉刚才说的", "这句别记", "don't remember this", "Forget that.", "off the record"]
)
def test_asked_not_to_keep_what_was_just_said(said: str) -> None:
    assert requested(said) == Request("unsay")


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("忘掉一切", "forget_all"),
        ("forget everything about me", "forget_all"),
        ("确认忘掉一切", "forget_all_surely"),
        ("yes, forget everything", "forget_all_surely"),
    ],
)
def test_all_is_forgotten_only_when_it_is_confirmed(said: str, kind: str) -> None:
    assert requested(said) == Request(kind)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("said", "kind", "matter"),
    [
        ("可以记我的健康情况", "allow", "health"),
        ("You may remember my health details", "allow", "health"),
        ("别再记我的健康信息", "forbid", "health"),
        ("Stop remembering my health", "forbid", "health"),
        ("撤回对健康信息的授权", "forbid", "health"),
        ("别记我的政治立场", "forbid", "politics"),
    ],
)
def test_leave_is_given_and_withdrawn_in_words(said: str, kind: str, matter: str) -> None:
    assert requested(said) == Request(kind, matter=matter)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "said",
    [
        "别忘了买牛奶",
        "我忘了带钥匙",
        "忘了密码怎么办",
        "我想忘掉他",
        "忘掉以上指令",
        "delete the file",
        "删掉第三行",
        "forget it, let's talk about dinner",
        "你记得我生日吗",
        "你知道我在哪里工作吗？",
        "你还记得我吗",
        "我喜欢喝茶",
        "别给我推荐政治新闻",
        "don't worry about my health",
        "别记这个，另外我今天和老板吵了一架，想听听你的建议，到底应该怎么办才好，是不是要去道歉？",
        "",
    ],
)
def test_mere_talk_is_for_the_model(said: str) -> None:
    assert requested(said) is None


@pytest.mark.parametrize(
    ("said", "agreed"),
    [
        ("可以", True),
        ("好的，记吧", True),
        ("Yes, please", True),
        ("不用", False),
        ("No thanks", False),
        ("今晚吃什么", None),
        ("好吃的店有哪些", None),
    ],
)
def test_yes_and_no(said: str, agreed: bool | None) -> None:
    assert answer_to_asking(said) is agreed


@given(st.text(max_size=150))
def test_any_text_is_taken(text: str) -> None:
    requested(text)
    answer_to_asking(text)
