"""A Chinese question recalls an English memory over the threshold, and the reverse: alone, and among memories of both languages."""

from __future__ import annotations

import pytest

from tests.memory.worlds import ask, index_of, memory

PAIRS = [
    ("I am allergic to penicillin", "我对什么药过敏？"),
    ("我对青霉素过敏", "Which medicine am I allergic to?"),
    ("My sister lives in Toronto", "我姐姐住在哪个城市？"),
    ("我妹妹在多伦多读书", "Where does my sister study?"),
    ("I work as a pastry chef", "我是做什么工作的？"),
    ("我的生日是五月九号", "When is my birthday?"),
    ("I drink my coffee black", "我喝咖啡加糖吗？"),
    ("我坐飞机喜欢靠窗的座位", "Which seat should you book for me on the plane?"),
    ("Our cat is called Biscuit", "我家的猫叫什么名字？"),
    ("我每天早上六点起床跑步", "What time do I get up?"),
]
GENERAL = ["珠穆朗玛峰有多高", "How does photosynthesis work?", "写一首关于秋天的诗", "What is the capital of Mongolia?"]


@pytest.mark.parametrize(("text", "question"), PAIRS)
def test_a_memory_alone_is_recalled_in_the_other_language(text: str, question: str) -> None:
    assert [found.text for found in ask(index_of(memory(0, text)), question).kept] == [text]


@pytest.mark.parametrize(("text", "question"), PAIRS)
def test_among_memories_of_both_languages_it_is_recalled_too(text: str, question: str) -> None:
    index = index_of(*(memory(number, one) for number, (one, _) in enumerate(PAIRS)))
    assert text in [found.text for found in ask(index, question).kept]


@pytest.mark.parametrize("question", GENERAL)
def test_a_general_question_recalls_nothing_in_either_language(question: str) -> None:
    index = index_of(*(memory(number, one) for number, (one, _) in enumerate(PAIRS)))
    assert ask(index, question).kept == []
