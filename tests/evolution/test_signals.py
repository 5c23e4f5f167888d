"""What a user's next message says about a reply (E1), and what it does not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from evolution.coverage import missing
from evolution.signals import HEAD, LEARNT, Heard, read, table
from memory.heads import load
from memory.ports import Embedder, Floats
from schemas.settings import Settings
from serve.embedders import build


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return build(Settings().embedding)


def kinds(embedder: Embedder, *heard: Heard) -> list[str]:
    return [signal.kind for signal in read(heard, embedder)]


@pytest.mark.parametrize(
    ("heard", "kind"),
    [
        (Heard("帮我把会议改到周五", "已改到周四。", "错了，是周五"), "explicit_negative"),
        (Heard("Play some jazz.", "Playing heavy metal.", "That's not jazz at all."), "explicit_negative"),
        (Heard("怎么弄得快一点", "您可以跑步。", "我的意思是电脑怎么开机快一点"), "rephrase"),
        (Heard("How do I get it off?", "Take it off.", "I mean the sticker on the jar, how do I get it off?"), "rephrase"),
        (Heard("写句祝福语", "愿你天天开心。", "太棒了，谢谢你"), "positive"),
        (Heard("Name the file.", "report-final.pdf", "Perfect, thank you."), "positive"),
        (Heard("图片去背景", "抱歉，做不到。", "算了，我自己来吧"), "resignation"),
        (Heard("Fix the chart.", "It's unchanged.", "Never mind, I'll do it by hand."), "resignation"),
        (Heard("讲讲唐朝", "唐朝建立于618年……", "那宋朝呢"), "none"),
        (Heard("", "", "不对称加密是什么"), "none"),
        (Heard("", "", "Play 'Never Mind' by Nirvana"), "none"),
    ],
)
def test_a_signal_is_heard_as_what_it_is(embedder: Embedder, heard: Heard, kind: str) -> None:
    assert kinds(embedder, heard) == [kind]


def test_a_word_of_blame_in_a_quotation_is_content(embedder: Embedder) -> None:
    heard = Heard("帮我写对白", "好的，要什么内容？", "主角大喊“你错了，算了吧”然后离开")
    assert kinds(embedder, heard) == ["none"]


@pytest.mark.parametrize(
    ("request_", "reply", "left_out"),
    [
        ("对比一下苹果、香蕉和橙子的热量", "苹果52大卡，香蕉91大卡。", "橙子"),
        ("查查周三和周四的天气", "周三多云。", "周四"),
        ("List the height and the weight of the bike.", "Its weight is 9 kg.", "height"),
        ("Tell me about Rome, Milan and Turin.", "Rome is old. Turin has cars.", "Milan"),
    ],
)
def test_what_a_reply_leaves_out_of_a_list_is_named(request_: str, reply: str, left_out: str) -> None:
    assert any(left_out in name for name in missing(request_, reply))


@pytest.mark.parametrize(
    ("request_", "reply"),
    [
        ("对比一下苹果、香蕉和橙子", "苹果最甜，香蕉最软，橙子最酸。"),
        ("推荐去杭州的高铁和酒店", "抱歉，我查不到。"),
        ("推荐去杭州的高铁和酒店", "您几号出发？"),
        ("和我聊聊天", "好呀。"),
        ("Tell me about salt and pepper", "I like turtles."),
    ],
)
def test_a_full_a_declining_and_an_unrelated_reply_leave_nothing_out(request_: str, reply: str) -> None:
    assert missing(request_, reply) == []


def test_an_omission_counts_when_the_user_points_at_it_and_when_nobody_does(embedder: Embedder) -> None:
    asked, reply = "查查周三和周四的天气", "周三多云。"
    assert kinds(embedder, Heard(asked, reply, None), Heard(asked, reply, "周四的呢？")) == ["entity_miss", "entity_miss"]
    assert kinds(embedder, Heard(asked, reply, None, interrupted=True)) == ["none"]


def test_nothing_to_judge_is_no_signal(embedder: Embedder) -> None:
    assert kinds(embedder) == []
    assert kinds(embedder, Heard("", "", "你好"), Heard("在吗", "在。", None)) == ["none", "none"]


class Unknown:
    """An embedder that no head was taught for."""

    name, dim = "unknown/embedder", 8

    def query(self, texts: Sequence[str]) -> Floats:
        return np.ones((len(texts), 8), dtype=np.float32)

    passage = query


def test_without_a_head_only_a_hint_that_speaks_alone_counts() -> None:
    heard = [Heard("a", "b", "完美，谢谢"), Heard("a", "b", "那明天呢"), Heard("a", "b", "不对，算了")]
    assert [signal.kind for signal in read(heard, Unknown())] == ["positive", "none", "none"]  # type: ignore[arg-type]


def test_the_head_is_the_one_that_the_examples_teach(embedder: Embedder) -> None:
    from eval.teach import LESSONS

    lesson = LESSONS[HEAD]()
    head, right = lesson.teach(embedder)
    stored = load("evolution", HEAD, embedder.name)
    assert stored is not None
    assert right > 0.9
    sample = [Heard(row["before"], row["reply"], row["said"]) for row in lesson.rows[:60]]
    same = head.shares(table(sample, embedder, head)).argmax(1) == stored.shares(table(sample, embedder, stored)).argmax(1)
    assert same.all()
    assert stored.classes == LEARNT
