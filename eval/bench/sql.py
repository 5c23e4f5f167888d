"""``laoma bench sql``: the questions of docs/sql.md over sealed turns, and sealed beside hot where reading the hot table still ends."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import duckdb
import numpy as np
import pyarrow as pa

from eval.bench.frame import Clock, Contender, Outcome, Tell, alternate
from lake.parquet import TURNS, day_file, replace_file, turn_schema
from lake.place import Place
from lake.sql import connect
from lake.store import Put, ShardStore
from schemas.memory import Memory
from schemas.record import from_table
from schemas.settings import Settings
from schemas.turn import Turn

SEALED, HOT = "sealed", "hot"
"""Where the turns lie: in Parquet by day, in the LanceDB table."""
_A_DAY = 1000
_USERS = 10
_MEMORIES = 1000
"""Of each user."""
_WORDS = [
    "豆浆", "面馆", "复查", "地铁", "周三", "预算", "泉州", "酒店", "薄荷", "肥皂水", "阳台", "机票", "吉他",
    "花生", "过敏", "早餐", "无糖", "跑步", "膝盖", "报税", "sourdough", "ferry", "night", "train",
]  # fmt: skip


async def bench_sql(
    questions: Mapping[str, str],
    turns: int,
    hot: int,
    rounds: int,
    today: date,
    settings: Settings,
    folder: Path,
    clock: Clock,
    tell: Tell = lambda what, done, total: None,
) -> list[Outcome]:
    """An outcome a question over ``turns`` sealed ones; then opening and all of them over ``hot`` turns, sealed and hot side by side.

    ``questions``: words → SQL. The last of the turns are today's, a thousand a day; ten users have a thousand memories each.
    """
    large = Place(folder / "large")
    _seal(large, turns, today, settings, tell)
    lake = connect(large.home)
    outcomes = []
    for words, query in questions.items():
        times = await alternate([Contender(SEALED, _asking(lake, query))], rounds, clock)
        outcomes.append(Outcome(words, turns, times, unit="turns"))
        tell("asking", len(outcomes), len(questions))
    small, warm = Place(folder / "sealed"), Place(folder / "hot")
    _seal(small, hot, today, settings, tell)
    _keep_hot(warm, hot, today, settings, tell)
    both = [Contender(SEALED, _opening(small, questions)), Contender(HOT, _opening(warm, questions))]
    return [*outcomes, Outcome("opening the lake and asking all", hot, await alternate(both, rounds, clock), unit="turns")]


def _asking(lake: duckdb.DuckDBPyConnection, query: str) -> Callable[[int], Awaitable[object]]:
    async def run(_: int) -> object:
        return lake.execute(query).fetchall()

    return run


def _opening(place: Place, questions: Mapping[str, str]) -> Callable[[int], Awaitable[object]]:
    async def run(_: int) -> object:
        with connect(place.home) as lake:
            return [lake.execute(query).fetchall() for query in questions.values()]

    return run


def _seal(place: Place, turns: int, today: date, settings: Settings, tell: Tell) -> None:
    place.create()
    for number, (day, rows) in enumerate(_days(turns, today, settings.zone)):
        replace_file(day_file(place.logs, TURNS, day, "0"), rows, place.logs)
        tell("writing turns", (number + 1) * _A_DAY, turns)
    with _store(place, today, settings) as store:
        _remember(store, today)


def _keep_hot(place: Place, turns: int, today: date, settings: Settings, tell: Tell) -> None:
    place.create()
    with _store(place, today, settings) as store:
        _remember(store, today)
        for number, (_, rows) in enumerate(_days(turns, today, settings.zone)):
            store.commit([Put(from_table(Turn, rows))]).result()
            tell("writing turns", (number + 1) * _A_DAY, turns)
        store.flush()
        store.maintain()


def _store(place: Place, today: date, settings: Settings) -> ShardStore:
    now = datetime.combine(today, time(), ZoneInfo(settings.zone))
    return ShardStore(place.shard(0), embedder="none", dim=1, settings=settings.lake, now=lambda: now, holder="bench")


def _remember(store: ShardStore, today: date) -> None:
    chance = np.random.default_rng(1)
    states = ["active"] * 7 + ["probation", "deprecated", "archived"]
    for user in range(_USERS):
        made = [datetime.combine(today, time(), UTC) - timedelta(days=number) for number in range(_MEMORIES)]
        rows = [
            Memory(
                id=f"m{user}-{number}",
                user=f"u{user}",
                kind="preference",
                key=f"偏好/{number}",
                text="用户喜欢" + _sentence(chance, 6),
                status=states[number % 10],
                created_at=made[number],
                updated_at=made[number],
            )
            for number in range(_MEMORIES)
        ]
        store.commit([Put(rows)]).result()


def _sentence(chance: np.random.Generator, words: int) -> str:
    return "".join(_WORDS[place] for place in chance.integers(0, len(_WORDS), words))


def _days(turns: int, today: date, zone: str) -> Iterator[tuple[date, pa.Table]]:
    """Days with their exchanges: 1 in 8 questions was asked before, half of the replies had up to three memories before them."""
    chance = np.random.default_rng(0)
    begins = range(0, turns, _A_DAY)
    for number, first in enumerate(begins):
        day, rows = today - timedelta(days=len(begins) - 1 - number), []
        morning = datetime.combine(day, time(8), ZoneInfo(zone))
        for place in range(first, min(first + _A_DAY, turns), 2):
            asked = place if chance.random() > 1 / 8 else int(chance.integers(place + 1)) // 2 * 2
            user = asked // 2 % _USERS
            at = morning + timedelta(seconds=(place - first) * 50)
            common = {
                "user": f"u{user}",
                "conversation": f"c{number}-{user}",
                "exchange": f"x{place}",
                "extraction": "done",
                "origin": "chat",
                "interrupted": False,
                "schema_version": Turn.VERSION,
            }
            question = f"第{asked}次问：" + "".join(_WORDS[asked // step % len(_WORDS)] for step in (1, 3, 7, 11, 13, 17, 19, 23))
            rows.append({**common, "id": f"t{place}", "at": at, "role": "user", "content": question, "recalled": []})
            told = [f"m{user}-{one}" for one in chance.integers(0, _MEMORIES, int(chance.integers(0, 4)))] if place % 4 else []
            reply = {
                "role": "assistant",
                "content": _sentence(chance, 8) + "。具体怎么做，我一步一步说给你听。" * 3,
                "recalled": told,
                "model": f"model-{number // 100}",
                "first_token_ms": float(chance.lognormal(6, 0.5)),
                "total_ms": float(chance.lognormal(8, 0.6)),
                "prompt_tokens": int(chance.integers(200, 2000)),
                "completion_tokens": int(chance.integers(20, 400)),
            }
            rows.append({**common, "id": f"t{place + 1}", "at": at + timedelta(seconds=20), **reply})
        yield day, pa.Table.from_pylist(rows, schema=turn_schema())
