"""Sentences of a turn: none is lost or too long, and what one says is found beside what the turn says as a whole."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.sentences import MOST, packed, sentences, unpacked, whole
from memory.turn_index import TurnIndex
from memory.turn_search import TurnQuestion, search
from schemas.settings import TurnSearch
from schemas.turn import Turn

AT = datetime(2026, 3, 2, tzinfo=UTC)


def test_each_sentence_stands_alone_and_a_very_short_one_goes_with_the_one_before() -> None:
    said = "I moved to Bergen in the spring. The flat looks over the harbour! Nice."
    assert sentences(said) == ["I moved to Bergen in the spring.", "The flat looks over the harbour! Nice."]
    assert sentences("我春天搬到了苏州。房子就在平江路旁边。好。") == ["我春天搬到了苏州。", "房子就在平江路旁边。 好。"]


def test_a_point_inside_a_number_or_an_address_ends_nothing() -> None:
    assert len(sentences("The parcel weighs 3.5 kilograms, see parcels.example.org/a.b for its way")) == 1


def test_a_blank_text_has_none_and_a_document_is_cut_into_pieces_instead() -> None:
    assert sentences(" \n ") == []
    cut = sentences("This is one of very many sentences. " * 100, 256)
    assert all(len(piece) > 100 for piece in cut[:-1])


@given(st.text(alphabet="ab 。.!?？\n中文", max_size=900), st.integers(16, 256))
def test_no_character_is_lost_and_none_is_too_long(text: str, limit: int) -> None:
    cut = sentences(text, limit)
    assert "".join("".join(cut).split()) == "".join(text.split())
    assert all(0 < len(sentence) <= limit for sentence in cut)


def test_the_whole_is_the_mean_by_length_of_length_one() -> None:
    made = whole(np.eye(2, dtype=np.float32), ["aaa", "a"])
    assert made == pytest.approx(np.array([3, 1]) / np.sqrt(10))


def test_vectors_come_back_from_storage_in_half_precision() -> None:
    vectors = np.random.default_rng(1).normal(size=(3, 8)).astype(np.float32) / 3
    assert unpacked(packed(vectors), 8) == pytest.approx(vectors, abs=1e-3)


def test_one_sentence_alone_a_document_and_another_dimension_keep_none() -> None:
    assert packed(np.ones((1, 4), np.float32)) is None
    assert packed(np.ones((MOST + 1, 4), np.float32)) is None
    assert unpacked(packed(np.ones((3, 5), np.float32)), 4) is None


def indexed(**vectors: list[list[float]]) -> TurnIndex:
    index = TurnIndex("none", 3)
    for name, parts in vectors.items():
        turn = Turn(id=name, user="u", conversation=name, exchange=name, at=AT, role="user", content="…")
        made = np.array(parts, dtype=np.float32)
        index.put(turn, whole(made, ["xx"] * len(made)), made if len(made) > 1 else None)
    return index


def found(index: TurnIndex, *vector: float) -> list[str]:
    question = TurnQuestion("?", np.array(vector, dtype=np.float32), AT, ZoneInfo("UTC"))
    return [hit.turn.id for hit in search(index, question, TurnSearch())]


def test_a_turn_is_found_by_one_of_its_sentences() -> None:
    index = indexed(long=[[1, 0, 0], [0, 1, 0], [0, 0.6, 0.8]], near=[[0.7, 0, 0.714]])
    assert found(index, 1, 0, 0)[0] == "long"


def test_dropped_and_moved_turns_take_their_sentences_along() -> None:
    index = indexed(first=[[1, 0, 0], [0, 1, 0]], second=[[0, 0, 1]], third=[[0, 1, 0], [0, 0, 1]])
    index.drop("first")
    assert found(index, 1, 0, 0) == []
    assert found(index, 0, 1, 0) == ["third"]
    index.put(index.at(0), np.array([1, 0, 0], dtype=np.float32))
    assert found(index, 1, 0, 0) == ["third"]


def test_an_index_with_drops_answers_as_one_built_anew() -> None:
    chance = np.random.default_rng(7)
    parts = {f"t{n}": chance.normal(size=(int(chance.integers(1, 5)), 3)).tolist() for n in range(30)}
    index = indexed(**parts)
    gone = [f"t{n}" for n in (0, 29, 13, 7, 28, 2)]
    for name in gone:
        index.drop(name)
    anew = indexed(**{name: made for name, made in parts.items() if name not in gone})
    assert set(found(index, 1, 1, 0)) == set(found(anew, 1, 1, 0))
