from __future__ import annotations

from datetime import datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval.partition import adjusted_rand, mutual_information
from eval.topics import Labelled, measure
from eval.weeks import NOISE, TOPICS, week
from evolution import topics
from evolution.repeats import repeated
from evolution.topic_words import names
from evolution.week import Asked, at_night, counted, often_repeated
from tests.memory.worlds import embedder

START = datetime(2026, 11, 23)


def found(texts: list[str]) -> list[topics.Topic]:
    return topics.find(texts, np.asarray(embedder().query(texts)) if texts else np.zeros((0, 384)), embedder().name)


def test_a_week_of_both_languages_falls_into_its_topics_and_stands_out_where_it_should() -> None:
    asked = week(400, 5, start=START, users=4, topics=TOPICS[:8], repeated="lease", night="wifi")
    rows = [Labelled(str(row), q.at, q.user, q.language, q.text, q.topic, q.repeats, q.interrupted) for row, q in enumerate(asked)]
    outcome = measure(rows, embedder())
    assert outcome.metrics["ari"] > 0.7
    assert outcome.metrics["noise_share"] < 0.25
    assert outcome.metrics["night_topic_found"] == 1
    assert outcome.metrics["repeat_recall"] > 0.7


def test_no_question_one_question_and_questions_with_nothing_in_common_are_no_topics() -> None:
    assert found([]) == []
    assert found(["在吗"]) == []
    assert found(["", ""]) == []
    assert [len(topic.members) for topic in found(["“龃龉”怎么念", "What's 17 times 12?"])] == []


def test_the_same_question_a_hundred_times_is_one_topic() -> None:
    assert [len(topic.members) for topic in found(["房东不退押金怎么办"] * 100)] == [100]
    assert [len(topic.members) for topic in found([""] * 100)] == [100]


def test_a_topic_goes_on_once_and_only_where_it_is_near() -> None:
    [topic] = found(["房东不退押金怎么办"] * 9)
    assert topics.continued([topic], [("far", -topic.centroid), ("old", topic.centroid)]) == ["old"]
    assert topics.continued([topic, topic], [("old", topic.centroid)]) == ["old", None]
    assert topics.continued([topic], []) == [None]


def test_a_topic_goes_on_from_week_to_week_under_its_id() -> None:
    before = week(150, 7, start=START, topics=("garden", "lease", "photo"), noise=0.0)
    after = week(150, 8, start=START, topics=("photo", "lease", "bread"), noise=0.0)
    old, new = found([q.text for q in before]), found([q.text for q in after])

    def mostly(asked: list[object], topic: topics.Topic) -> str:
        own = [asked[row].topic for row in topic.members]  # type: ignore[attr-defined]
        return max(set(own), key=own.count)

    ids = topics.continued(new, [(f"{place}:{mostly(list(before), topic)}", topic.centroid) for place, topic in enumerate(old)])
    told = [(mostly(list(after), topic), id) for topic, id in zip(new, ids, strict=True)]
    assert {"photo", "lease"} <= {topic for topic, id in told if id}
    assert [(topic, id) for topic, id in told if id and id.split(":")[1] != topic] == []


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.text(max_size=8), st.integers(0, 5)), max_size=60), st.integers(2, 70))
def test_any_vectors_give_parts_that_do_not_overlap(rows: list[tuple[str, int]], dim: int) -> None:
    vectors = np.zeros((len(rows), dim), dtype=np.float32)
    for row, (_, place) in enumerate(rows):
        vectors[row, place % dim] = 1.0
    texts = [text for text, _ in rows]
    parts = topics.find(texts, vectors, "unknown")
    members = [row for topic in parts for row in topic.members]
    assert len(members) == len(set(members))
    assert all(len(topic.members) >= 3 and np.isfinite(topic.centroid).all() for topic in parts)
    assert [topic.members for topic in topics.find(texts, vectors, "unknown")] == [topic.members for topic in parts]


def test_more_than_the_graph_holds_goes_to_the_nearest_topic(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = week(400, 9, start=START, topics=("garden", "lease", "photo", "car"), noise=0.0)
    texts = [q.text for q in asked]
    monkeypatch.setattr(topics, "_GRAPH", 120)
    labels = topics.labels_of(found(texts), len(texts))
    assert adjusted_rand([q.topic for q in asked], labels.tolist()) > 0.6


def test_a_topic_is_named_by_words_that_others_do_not_say() -> None:
    texts = [
        "退租时房东不退押金怎么办",
        "合租室友欠押金怎么要",
        "房东要涨租，押金怎么算",
        "番茄几天浇一次水",
        "薄荷几天浇一次水",
        "The roses need pruning",
    ]
    first, second = names(texts, [[0, 1, 2], [3, 4, 5]])
    assert "押金" in first
    assert "房东" in first
    assert "番茄" in second or "薄荷" in second
    assert "怎么" not in first + second


def test_only_the_same_users_question_in_other_words_is_a_repeat() -> None:
    texts = ["退租时房东不退押金怎么办", "番茄几天浇一次水", "搬走了，押金要不回来，房东不退怎么办", "退租时房东不退押金怎么办"]
    points = topics.centred(texts, np.asarray(embedder().query(texts)), embedder().name)
    assert repeated(points, ["a", "a", "a", "b"]) == [None, None, 0, None]
    assert repeated(points[:0], []) == []


def test_what_is_asked_again_twice_as_often_as_elsewhere_stands_out() -> None:
    calm = counted([Asked(9, repeats=number == 0) for number in range(10)])
    bad = counted([Asked(9, repeats=number < 4) for number in range(10)])
    few = counted([Asked(9, repeats=number < 2) for number in range(3)])
    assert often_repeated([calm, bad, calm]) == [1]
    assert often_repeated([calm, few, calm]) == []
    assert often_repeated([bad]) == []
    assert often_repeated([]) == []


def test_what_is_asked_after_ten_in_the_evening_stands_out() -> None:
    day, night = counted([Asked(9), Asked(14), Asked(20), Asked(23)]), counted([Asked(23), Asked(22), Asked(1), Asked(9)])
    assert at_night([day, night, day]) == [1]
    assert at_night([night, night]) == []
    assert night.hours[23] == 1
    assert counted([]).night_share == 0


def test_how_alike_two_parts_are_by_hand() -> None:
    assert adjusted_rand("aabb", "xxyy") == 1
    assert adjusted_rand("aabb", "xyxy") == pytest.approx(-0.5)
    assert mutual_information("aabb", "xxyy") == pytest.approx(1)
    assert mutual_information("aabb", "xyxy") == pytest.approx(0)
    assert adjusted_rand("", "") == 1


def test_invented_weeks_are_the_same_from_a_seed_and_have_what_they_promise() -> None:
    asked = week(300, 1, start=START, repeated="visa", night="bread")
    assert asked == week(300, 1, start=START, repeated="visa", night="bread")
    assert all(q.at.hour >= 22 for q in asked if q.topic == "bread")
    assert all(asked[q.repeats].topic == q.topic and asked[q.repeats].at <= q.at for q in asked if q.repeats is not None)
    assert 0.05 < sum(q.topic == NOISE for q in asked) / len(asked) < 0.25
