"""What docs/sql.md asks, asked: of a lake whose turns are half sealed and half hot."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import duckdb
import polars as pl
import pytest

from commands.sql import documented
from lake.logs import seal
from lake.place import Place
from lake.sql import connect
from lake.store import Put
from schemas.conversation import Conversation
from schemas.memory import Change
from tests.lake.conftest import memory, open_shard, turn

SHANGHAI = ZoneInfo("Asia/Shanghai")
TODAY = datetime.now(SHANGHAI).replace(hour=12, minute=0, second=0, microsecond=0)
THEN, LATELY = TODAY - timedelta(days=20), TODAY - timedelta(days=1)
PAGE = Path(__file__).parents[2] / "docs" / "sql.md"


def said(number: int, at: datetime, content: str, **more: Any) -> Any:
    return turn(f"t{number}", at=at, content=content, **{"extraction": "done", "conversation": "c1", **more})


def reply(number: int, at: datetime, content: str, model: str, ms: float, recalled: list[str], **more: Any) -> Any:
    extra = {"model": model, "total_ms": ms, "first_token_ms": ms / 10, "recalled": recalled, "prompt_tokens": 100, **more}
    return said(number, at + timedelta(seconds=5), content, role="assistant", **extra)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = Place(tmp_path_factory.mktemp("lake"))
    place.create()
    talk = Conversation(id="c1", user="u1", title="早饭", opened_at=THEN, last_at=THEN, summaries=['{"topic": "吃"}', '{"topic": "早餐"}'])
    told = {"before": "住在苏州", "after": "住在杭州", "reason": "说搬家了"}
    moved = Change(id="h1", user="u1", memory="old", at=THEN, action="replace", actor="rule", **told)
    with open_shard(place.shard(0)) as store:
        store.commit(
            [
                Put(
                    [
                        said(1, THEN, "早饭吃什么？"),
                        reply(2, THEN, "无糖豆浆配油条。", "small", 900, ["soy", "sea"]),
                        said(3, THEN + timedelta(hours=1), "早饭，吃什么"),
                        reply(4, THEN + timedelta(hours=1), "还是豆浆吧。", "small", 1100, ["soy"], completion_tokens=7),
                    ]
                ),
                Put(
                    [
                        said(5, LATELY, "Where does my sister live?", conversation="c2", topic="family", extraction="given_up",
                             extraction_note="ValueError: no"),
                        reply(6, LATELY, "In Lisbon, by the river.", "large", 4000, ["lisbon", "sea"], conversation="c2", interrupted=True),
                        said(7, LATELY, "别人的早饭吃什么？", user="u2", conversation="c9", extraction="pending"),
                    ]
                ),
                Put(
                    [
                        memory("soy", text="用餐习惯：无糖豆浆", created_at=TODAY - timedelta(days=400), turns=["t1"], access_count=2),
                        memory("sea", text="对海鲜过敏", created_at=TODAY - timedelta(days=3), confidence=0.5),
                        memory("lisbon", text="The sister moved to LISBON", created_at=TODAY - timedelta(days=20), access_count=1),
                        memory("old", text="住在苏州", created_at=TODAY - timedelta(days=100), status="deprecated"),
                    ]
                ),
                Put([talk]),
                Put([moved]),
            ]
        ).result()  # fmt: skip
        report = seal(store, place.logs, before=TODAY.replace(hour=0) - timedelta(days=3), zone=SHANGHAI)
        assert (report.turns, report.events) == (4, 1)
        store.flush()
    return place.home


DAY, LAST = THEN.date(), LATELY.date()
ANSWERS: list[list[tuple[Any, ...]]] = [
    [
        ("active", "1 this week", 1, 0.5),
        ("active", "2 this month", 1, 0.9),
        ("active", "4 older", 1, 0.9),
        ("deprecated", "3 this year", 1, 0.9),
    ],
    [(DAY, 2, 2), (LAST, 2, 1)],
    [(12, 3), (13, 1)],
    [("早餐", 2, 50.0), ("family", 1, 0.0), ("—", 1, 0.0)],
    [
        ("t6", LATELY + timedelta(seconds=5), "large", 400.0, 4000.0, 100, None, 2),
        ("t4", THEN + timedelta(hours=1, seconds=5), "small", 110.0, 1100.0, 100, 7, 1),
        ("t2", THEN + timedelta(seconds=5), "small", 90.0, 900.0, 100, None, 2),
    ],
    [("small", 2, 100.0, [1000.0, 1090.0]), ("large", 1, 400.0, [4000.0, 4000.0])],
    [("对海鲜过敏", 2), ("用餐习惯：无糖豆浆", 2), ("The sister moved to LISBON", 1)],
    [("对海鲜过敏", 2)],
    [(THEN, "住在苏州", "住在杭州", "说搬家了", "rule")],
    [
        ("done", 5, THEN, None),
        ("given_up", 1, LATELY, "ValueError: no"),
        ("pending", 1, LATELY, None),
    ],
]


@pytest.mark.parametrize(("words", "answer"), list(zip(documented(), ANSWERS, strict=True)))
def test_each_of_the_ten_questions_is_answered_from_sealed_and_hot_rows(home: Path, words: str, answer: list[tuple[Any, ...]]) -> None:
    with connect(home) as lake:
        assert lake.execute(documented()[words]).fetchall() == answer


def test_the_parquet_alone_answers_plain_duckdb(home: Path) -> None:
    (query,) = [one for one in _blocks("sql") if "read_parquet" in one]
    assert duckdb.sql(_here(query, home)).fetchall() == [(DAY, 4, 2)]


def test_the_parquet_alone_answers_polars(home: Path) -> None:
    (program,) = _blocks("python")
    names: dict[str, Any] = {}
    exec(_here(program, home), names)
    assert isinstance(found := names["slowest"], pl.DataFrame)
    assert found.rows() == [(DAY, "small", 2, 1090.0)]


def _blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def _here(text: str, home: Path) -> str:
    assert "~/.local/share/laoma" in text
    return text.replace("~/.local/share/laoma", str(home))


def test_a_turn_that_is_sealed_and_still_hot_is_counted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place(tmp_path)
    place.create()
    with open_shard(place.shard(0)) as store:
        store.commit([Put([said(n, THEN + timedelta(hours=n * 7), "你好") for n in range(6)])]).result()
        monkeypatch.setattr(store, "drop_unchanged", lambda *_: 0)  # as a kill leaves it
        assert seal(store, place.logs, before=datetime.now(UTC), zone=SHANGHAI).turns == 6
        store.flush()
    with connect(place.home) as lake:
        assert lake.execute("SELECT count(*), count(DISTINCT id) FROM turns").fetchall() == [(6, 6)]
