from __future__ import annotations

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from commands.sql import documented
from eval.bench import crowd
from eval.bench.entrance import bench_entrance, in_process
from eval.bench.extraction import bench_extraction, bench_reply
from eval.bench.first_token import bench_first_token
from eval.bench.frame import Contender, Outcome, Times, alternate
from eval.bench.machine import machine
from eval.bench.recall import BARE, EMBEDDED, bench_recall
from eval.bench.sql import bench_sql
from lake.sql import connect
from memory.ports import Embedder, Floats
from schemas.errors import InvalidRequest
from schemas.settings import Settings


class Ticking:
    """A clock that moves by what contenders say they took."""

    def __init__(self) -> None:
        self.at = 0.0

    def __call__(self) -> float:
        return self.at


class Hashed:
    """A cheap embedder: the same text has the same direction."""

    name, dim = "hashed", 384

    def query(self, texts: list[str]) -> Floats:
        return np.concatenate([crowd.vectors(1, self.dim, sum(text.encode())) for text in texts])

    passage = query


EMBEDDER: Embedder = Hashed()  # type: ignore[assignment]


def silent(what: str, done: int, total: int) -> None:
    return None


async def test_contenders_take_turns_and_warm_up_rounds_do_not_count() -> None:
    clock, order = Ticking(), []

    def contender(name: str, seconds: float) -> Contender:
        async def run(turn: int) -> None:
            order.append((name, turn))
            clock.at += seconds if turn >= 0 else 100

        return Contender(name, run)

    slow, quick = await alternate([contender("slow", 0.2), contender("quick", 0.1)], 3, clock)
    assert [name for name, turn in order if turn >= 0] == ["slow", "quick", "quick", "slow", "slow", "quick"]
    assert (round(slow.p50), round(slow.p95), round(quick.p50)) == (200, 200, 100)


def test_the_crowd_is_the_same_each_time_and_speaks_two_languages() -> None:
    once, again = (crowd.memories("u", 50, 1) for _ in range(2))
    assert once == again
    assert len({memory.text for memory in once}) == 50
    assert len(set(crowd.questions(997, 1))) == 997
    assert np.allclose(np.linalg.norm(crowd.vectors(5, 16, 1), axis=1), 1, atol=1e-5)


def test_the_machine_is_described() -> None:
    assert "cores" in machine()
    assert "Python 3.11" in machine()


async def test_recall_is_measured_by_every_contender_for_one_user_and_for_many(tmp_path: Path) -> None:
    clock = Ticking()
    outcomes = await bench_recall([(1, 40), (2, 20)], 2, EMBEDDER, Settings(), tmp_path, clock, silent)
    assert [(outcome.case, outcome.size) for outcome in outcomes] == [("40", 40), ("2 x 20", 40)]
    assert [times.name for times in outcomes[0].times] == [*EMBEDDED, *BARE]
    assert all(len(times.ms) == 2 for outcome in outcomes for times in outcome.times)


async def test_the_model_alone_gets_the_prompt_that_laoma_sent(tmp_path: Path) -> None:
    outcome = await bench_first_token(5, 1, EMBEDDER, Settings(), tmp_path, Ticking(), silent)
    assert [times.name for times in outcome.times] == ["laoma", "model"]


async def test_the_entrance_is_measured_over_http(tmp_path: Path) -> None:
    async with in_process(5, EMBEDDER, Settings(), tmp_path, silent) as client:
        outcome = await bench_entrance(client, 5, 2, EMBEDDER, Ticking(), silent)
    assert [times.name for times in outcome.times] == ["ping", "durable turn", "embedding", "recall"]


async def test_reading_a_turn_and_replies_with_and_without_it_are_measured(tmp_path: Path) -> None:
    reading = await bench_extraction(2, EMBEDDER, Settings(), Ticking(), silent)
    assert [times.name for times in reading.times] == ["rules and heads", "rules"]
    replies = await bench_reply(1, EMBEDDER, Settings(), tmp_path, Ticking(), silent)
    assert [times.name for times in replies.times] == ["reply, extraction on", "reply, extraction off"]


async def test_what_a_contender_leaves_to_be_done_is_ended_and_not_timed() -> None:
    clock, left = Ticking(), []

    async def run(turn: int) -> None:
        assert not left
        left.append(turn)
        clock.at += 0.1

    async def settle() -> None:
        left.clear()
        clock.at += 5

    (times,) = await alternate([Contender("lazy", run, settle)], 2, clock)
    assert round(times.p95) == 100


def test_a_picture_is_drawn_and_other_endings_are_refused(tmp_path: Path) -> None:
    from eval.bench.picture import draw

    outcomes = [Outcome("1,000", 1000, [Times("limit", np.array([1.0, 2.0])), Times("engine", np.array([2.0, 3.0]))])]
    with pytest.raises(InvalidRequest, match=r"ends in \.svg or \.png"):
        draw(tmp_path / "p.gif", "title", "machine", outcomes)
    pytest.importorskip("vl_convert", reason="pictures need the extra `bench`")
    draw(tmp_path / "p.svg", "title", "a machine", outcomes)
    drawn = (tmp_path / "p.svg").read_text(encoding="utf-8")
    assert "a machine" in drawn
    assert "engine" in drawn


async def test_ten_questions_are_timed_over_sealed_turns_and_beside_hot_ones(tmp_path: Path) -> None:
    today = datetime.now(ZoneInfo(Settings().zone)).date()
    outcomes = await bench_sql(documented(), 3000, 1000, 1, today, Settings(), tmp_path, Ticking(), silent)
    assert [(one.size, [times.name for times in one.times]) for one in outcomes] == [(3000, ["sealed"])] * 10 + [(1000, ["sealed", "hot"])]
    asked = [connect(tmp_path / where).execute(query).fetchall() for where in ("sealed", "hot") for query in documented().values()]
    assert asked[:10] == asked[10:]
    assert [len(rows) > 0 for rows in asked[:10]] == [True] * 8 + [False, True]
    assert connect(tmp_path / "large").execute('SELECT count(*), count(DISTINCT id), max("at")::date FROM turns').fetchall() == [
        (3000, 3000, today)
    ]
