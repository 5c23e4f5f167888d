from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.word_index import WordIndex
from memory.words import tokens


def best(index: WordIndex, query: str) -> str | None:
    scores = index.score(query)
    return index.rows.ids[int(scores.argmax())] if scores.any() else None


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("我住在臺北，喜歡滷肉飯", "台北 卤肉饭"),
        ("她在训练小狗", "训练"),
        ("ＩＥＬＴＳ speaking", "ielts"),
        ("She was running every morning", "runs in mornings"),
        ("Ben’s release notes", "ben"),
        ("我属虎。", "虎"),
        ("香菜不要放", "香菜"),
    ],
)
def test_other_spellings_of_a_word_find_it(text: str, query: str) -> None:
    index = WordIndex()
    index.put("other", "something else 别的东西")
    index.put("wanted", text)
    assert best(index, query) == "wanted"


def test_stop_words_find_nothing() -> None:
    index = WordIndex()
    index.put("a", "what is it that you have been doing 你的是什么")
    assert tokens("what is the 的 了") == []
    assert not index.score("what was the").any()


def test_chinese_becomes_bigrams_and_characters_english_stems() -> None:
    assert tokens("喝咖啡 Running") == ["喝咖", "咖啡", "喝", "咖", "啡", "run"]


def test_an_overwritten_text_is_gone_from_the_words_at_once() -> None:
    index = WordIndex()
    index.put("m", "My dentist is Dr. Pell.")
    index.put("m", "My dentist is Dr. Quill.")
    assert not index.score("Pell").any()
    assert best(index, "Quill") == "m"


def test_coverage_is_the_share_of_the_question_that_a_text_holds() -> None:
    index = WordIndex()
    index.put("both", "red bicycle")
    index.put("one", "red car")
    match = index.match("red bicycle")
    assert match.coverage[0] == pytest.approx(1.0)
    assert 0 < match.coverage[1] < 0.5


def test_a_very_long_question_is_answered_by_its_rarest_words() -> None:
    index = WordIndex()
    for i in range(200):
        index.put(str(i), f"word{i} common")
    assert best(index, "common " + " ".join(f"word{i}" for i in range(150))) is not None


texts = st.text(alphabet="ab cd红绿灯车", max_size=12)
steps = st.lists(st.tuples(st.sampled_from(["put", "drop"]), st.integers(0, 6), texts), max_size=40)


@given(steps, texts)
def test_after_any_puts_and_drops_scores_equal_those_of_a_fresh_index(history: list[tuple[str, int, str]], query: str) -> None:
    index, held = WordIndex(), {}
    for what, key, text in history:
        if what == "put":
            index.put(str(key), text)
            held[str(key)] = text
        else:
            assert index.drop(str(key)) == (held.pop(str(key), None) is not None)
    fresh = WordIndex()
    for key, text in held.items():
        fresh.put(key, text)
    expected = dict(zip(fresh.rows.ids, fresh.score(query), strict=True))
    found = dict(zip(index.rows.ids, index.score(query), strict=True))
    assert found.keys() == expected.keys()
    for key in expected:
        assert np.isclose(found[key], expected[key], atol=1e-5)
