from __future__ import annotations

import tracemalloc
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.embedding_text import joined, pieces, question_text
from memory.turn_index import TurnIndex
from memory.turn_marks import asked_role, asks_what_was_said, asks_when, is_question, says_a_time
from memory.turn_search import TurnQuestion, search
from schemas.settings import TurnSearch
from tests.memory.worlds import NOW, embedder, turn, turns_of

ZONE = ZoneInfo("Asia/Shanghai")


def found(index: TurnIndex, text: str, **fields: Any) -> list[str]:
    vector = embedder().query([index.question_text(text)])[0] if fields.pop("embedded", True) else None
    return [hit.turn.id for hit in search(index, TurnQuestion(text, vector, fields.pop("at", NOW), ZONE, **fields), TurnSearch())]


def test_a_turn_is_found_by_meaning_and_across_languages() -> None:
    index = turns_of(turn(1, "我们家新养了一只柯基"), turn(9, "今天股市又跌了", conversation="d"), turn(20, "明天开会", conversation="e"))
    assert found(index, "Which dog did we get?")[0] == "1"


def test_words_are_found_before_the_vector_is_there() -> None:
    index = turns_of(turn(1, "推荐的书是《百年孤独》"), turn(2, "今天下雨"), embedded=False)
    assert not index.complete
    assert found(index, "百年孤独", embedded=False)[0] == "1"
    assert found(index, "百年孤独")[0] == "1"
    index.set_vector("1", embedder().passage(["推荐的书是《百年孤独》"])[0])
    assert index.waiting == {"2"}
    assert not index.set_vector("nobody", np.zeros(384, dtype=np.float32))


def test_what_shares_neither_word_nor_meaning_is_not_returned() -> None:
    assert found(turns_of(turn(1, "hello there"), embedded=False), "光合作用", embedded=False) == []


def test_an_answer_ranks_over_its_question() -> None:
    index = turns_of(
        turn(1, "What's your favourite dish?", speaker="Ann"),
        turn(2, "It has to be the pumpkin soup my aunt makes.", speaker="Bo"),
        turn(3, "Nice, I am off to work now.", speaker="Ann"),
    )
    assert found(index, "What is Bo's favourite dish?")[0] == "2"


def test_a_turn_is_found_by_what_was_said_around_it() -> None:
    index = turns_of(
        turn(1, "I finally went to the pottery workshop!"),
        turn(2, "It was on the third of May."),
        turn(90, "It was on the ninth of June.", conversation="d"),
    )
    ranked = found(index, "When was the pottery workshop?")
    assert ranked.index("2") < ranked.index("90")


def test_from_is_inclusive_and_to_exclusive() -> None:
    index = turns_of(turn(1, "茶"), turn(2, "茶"), turn(3, "茶"))
    first, last = index.get("1"), index.get("3")
    assert first is not None
    assert last is not None
    assert set(found(index, "茶", since=first.at, until=last.at)) == {"1", "2"}
    assert found(index, "茶", since=NOW) == []


def test_a_conversation_limits_and_its_name_is_taken_literally() -> None:
    index = turns_of(turn(1, "茶", conversation="a_b"), turn(2, "茶", conversation="aXb"), turn(3, "茶", conversation="a%"))
    assert found(index, "茶", conversation="a_b") == ["1"]
    assert found(index, "茶", conversation="nobody") == []


@pytest.mark.parametrize(
    ("text", "day"),
    [("上周三我喝了什么茶", (2025, 12, 10)), ("What tea did I drink last March?", (2025, 3, 4)), ("12月5日喝的茶", (2025, 12, 5))],
)
def test_the_time_in_a_question_lifts_the_turns_of_that_time(text: str, day: tuple[int, int, int]) -> None:
    spoken = [datetime(2025, 1, 20, 12, tzinfo=ZONE), datetime(*day, 12, tzinfo=ZONE), datetime(2025, 9, 1, 12, tzinfo=ZONE)]
    index = turns_of(*(turn(i, "今天喝了一杯茶 tea", at=at, conversation=str(i)) for i, at in enumerate(spoken)))
    assert found(index, text)[0] == "1"


def test_the_speaker_that_a_question_names_is_lifted() -> None:
    index = turns_of(turn(1, "I love surfing.", speaker="Tim"), turn(2, "I love surfing.", speaker="John", conversation="d"))
    assert found(index, "Does John like surfing?")[0] == "2"


def test_whose_words_a_question_is_after_is_understood() -> None:
    index = turns_of(turn(1, "我推荐你看《活着》", role="assistant"), turn(9, "我推荐你看《活着》", conversation="d"))
    assert found(index, "你上次推荐的书是哪本？")[0] == "1"
    assert asked_role("我曾经和你推荐过一部电影，叫什么？") == "user"
    assert asked_role("What did you recommend last time?") == "assistant"
    assert asked_role("今天星期几") is None
    assert asks_what_was_said("did I tell you about my trip?")


def test_a_dropped_turn_is_gone_and_its_neighbours_close_up() -> None:
    index = turns_of(*(turn(i, f"word{i}") for i in range(4)))
    assert index.drop("1")
    assert index.get("1") is None
    assert "1" not in found(index, "word1")
    rows = index.neighbours.conversation_rows("c")
    assert [index.at(int(row)).id for row in rows] == ["0", "2", "3"]


def test_limit_and_emptiness() -> None:
    assert found(turns_of(), "x") == []
    assert len(found(turns_of(*(turn(i, "茶") for i in range(5))), "茶", limit=2)) == 2


steps = st.lists(st.tuples(st.sampled_from(["put", "put", "drop", "vector"]), st.integers(0, 9), st.integers(0, 3)), max_size=30)


@given(steps)
def test_after_any_history_a_search_equals_that_of_a_fresh_index(history: list[tuple[str, int, int]]) -> None:
    def vector(seed: int) -> np.ndarray:
        raw = np.random.default_rng(seed).normal(size=16).astype(np.float32)
        return np.asarray(raw / np.linalg.norm(raw))

    index, held = TurnIndex("random", 16), {}
    for what, key, slot in history:
        if what == "put":
            one = turn(key, f"w{key} s{slot}?"[: 6 - slot % 2], conversation=f"c{slot % 2}", at=NOW + timedelta(minutes=(key * 7) % 10))
            index.put(one)
            held[str(key)] = [one, None]
        elif what == "drop":
            assert index.drop(str(key)) == (held.pop(str(key), None) is not None)
        elif str(key) in held:
            index.set_vector(str(key), vector(slot))
            held[str(key)][1] = vector(slot)
    fresh = TurnIndex("random", 16)
    for one, known in held.values():
        fresh.put(one, known)
    question = TurnQuestion("w1 w2 s1", vector(99), NOW, ZONE, limit=50)
    expected = {hit.turn.id: hit.score for hit in search(fresh, question, TurnSearch())}
    assert {hit.turn.id: hit.score for hit in search(index, question, TurnSearch())} == pytest.approx(expected, abs=2e-4)
    assert index.complete == fresh.complete


def test_what_a_turn_is_told_from_its_words() -> None:
    assert is_question("你今天吃了吗？")
    assert is_question("吃了吗")
    assert not is_question("I got a new job at the harbour and start on Monday. You?")
    assert asks_when("When did she go?")
    assert asks_when("我哪天体检的？")
    assert not asks_when("Where did she go?")
    assert says_a_time("I went there last Tuesday")
    assert says_a_time("上个月去的")
    assert not says_a_time("I like tea")


def test_long_texts_are_cut_into_pieces_after_sentences() -> None:
    text = "第一句话说得很长很长。" * 40
    parts = pieces(text, 256)
    assert all(len(part) <= 256 for part in parts)
    assert all(part.endswith("。") for part in parts)
    assert "".join(parts) == text
    assert pieces("  \u3000 \n ") == []
    assert [len(part) for part in pieces("长" * 600)] == [256, 256, 88]
    assert joined(np.eye(2, dtype=np.float32)) == pytest.approx([0.7071, 0.7071], abs=1e-4)


def test_names_are_taken_out_of_what_is_embedded() -> None:
    assert question_text("What is Melanie's favourite book?", ["Melanie"]) == "What is favourite book?"
    assert question_text("小王的生日是哪天", ["小王"]) == "生日是哪天"
    assert question_text("Melanie?", ["Melanie"]) == "Melanie?"
    assert question_text("Annette laughed", ["Ann"]) == "Annette laughed"
    assert len(question_text("字" * 5000, [])) == 256


@pytest.mark.parametrize(
    "text", ["好", "我下周二要去敦煌看壁画，回来再说年假的事。", "We moved to the new flat last Friday and the cat hates it."]
)
def test_the_memory_that_an_index_holds_is_what_it_says(text: str) -> None:
    turns_of(turn(0, text), embedded=False)  # tables that are made once
    vector = np.ones(embedder().dim, dtype=np.float32)
    tracemalloc.start()
    index = TurnIndex(embedder().name, embedder().dim)
    for number in range(1500):
        fields = {
            "id": f"{number:036d}",
            "parent": f"p{number:035d}",
            "exchange": f"e{number:035d}",
            "conversation": f"c{number // 20:035d}",
        }
        index.put(turn(number, f"{text} {number}", **fields), vector if number % 2 else None)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert 0.9 * held <= index.nbytes <= 1.3 * held
