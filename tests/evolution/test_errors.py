"""What a complaint names (E2), and which words are none."""

from __future__ import annotations

import pytest

from evolution.constitution import default_text, parse
from evolution.errors import cut_off, named, with_error
from evolution.proposals import FORM_ALONE, rule_for
from evolution.signals import Heard, Signal
from evolution.zones import judge
from memory.ports import Embedder
from schemas.conversation import Error
from schemas.settings import Settings
from serve.embedders import build

REPLY = "首先，我们需要从历史背景说起。"


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return build(Settings().embedding)


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ("太长了，看不完", "too_long"),
        ("Shorter please.", "too_long"),
        ("结论呢？别绕弯子", "steps_first"),
        ("Just give me the answer.", "steps_first"),
        ("看不懂，说人话", "too_hard"),
        ("Too technical for me.", "too_hard"),
        ("这回答太笼统了", "too_short"),
        ("别用表格", "wrong_form"),
        ("用中文回答", "wrong_language"),
        ("别道歉了", "tone"),
        ("stop asking me questions", "asks_back"),
    ],
)
def test_a_short_complaint_about_a_form_is_an_explicit_negative_whatever_the_head_heard(said: str, error: str) -> None:
    signal, found = with_error(Signal("none", 0.4), Heard("量子纠缠是什么", REPLY, said))
    assert (signal.kind, found) == ("explicit_negative", error)


@pytest.mark.parametrize(
    "said",
    [
        "太长江大桥有多长",
        "How long is too long for a nap?",
        "先说结论这四个字怎么翻译",
        "不要香菜的面怎么做",
        "帮我把这段话写短一点",
        "“太长了”用法语怎么讲",
    ],
)
def test_a_question_with_such_words_is_content(said: str) -> None:
    heard = Heard("睡前做点什么", REPLY, said)
    assert with_error(Signal("none", 0.5), heard) == (Signal("none", 0.5), None)


def test_what_names_no_form_is_about_the_content() -> None:
    heard = Heard("几点开会", "四点。", "不对，是五点")
    assert [with_error(Signal(kind), heard)[1] for kind in ("explicit_negative", "rephrase", "resignation", "entity_miss", "positive")] == [
        "wrong", "misread", "gave_up", "missed_entity", None,
    ]  # fmt: skip
    assert named("谢谢") is None


def test_a_long_reply_that_was_cut_off_was_too_long() -> None:
    assert [cut_off("好的。"), cut_off("长" * 400), cut_off("word " * 100), cut_off("word " * 300)] == [
        "cut_off", "too_long", "cut_off", "too_long",
    ]  # fmt: skip


def test_every_ready_rule_passes_the_constitution_in_both_languages(embedder: Embedder) -> None:
    errors: list[Error] = [*FORM_ALONE, "missed_entity", "misread"]
    rules = [
        rule
        for error in errors
        for said in ("用中文说，太长了", "用英文说", "in English, please", "in Chinese")
        if (rule := rule_for(error, said))
    ]
    assert len(rules) == 4 * len(errors)
    verdicts = judge(rules, parse(default_text()), embedder)
    assert [rule for rule, verdict in zip(rules, verdicts, strict=True) if verdict.consent("scene") == "never"] == []
    assert rule_for("wrong_language", "用英文说") == "用英文回答。"
    assert rule_for("tone", "别道歉了") is None
