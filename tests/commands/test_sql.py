"""sql: what is printed, one-shot and in the prompt."""

from __future__ import annotations

import json
import re
from pathlib import Path

import duckdb
import pytest

from commands.sql import quoted_at, run
from lake.sql import connect
from schemas.errors import InvalidRequest
from tests.commands.conftest import Laoma

ROWS = "SELECT * FROM (VALUES (1, '早餐, 豆浆', TIMESTAMPTZ '2025-11-30 12:00:00+00'), (2, NULL, NULL)) t(n, text, \"at\") ORDER BY n"


@pytest.fixture
def connection() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'Asia/Shanghai'")
    return connection


def test_json_is_an_array_of_rows(connection: duckdb.DuckDBPyConnection, capsys: pytest.CaptureFixture[str]) -> None:
    run(connection, ROWS, "json")
    rows = json.loads(capsys.readouterr().out)
    assert rows == [{"n": 1, "text": "早餐, 豆浆", "at": "2025-11-30T20:00:00+08:00"}, {"n": 2, "text": None, "at": None}]


def test_json_stays_json_whatever_the_values_are(connection: duckdb.DuckDBPyConnection, capsys: pytest.CaptureFixture[str]) -> None:
    query = (
        "SELECT 'nan'::DOUBLE AS nan, 'inf'::FLOAT AS inf, ['-inf'::DOUBLE, 1.5] AS list, {'x': 'nan'::DOUBLE} AS struct, "
        "MAP {DATE '2026-03-02': 'inf'::DOUBLE} AS map, 1.25::DECIMAL(4,2) AS price, TIME '08:30' AS time, true AS yes"
    )
    run(connection, query, "json")
    (row,) = json.loads(capsys.readouterr().out, parse_constant=lambda word: pytest.fail(word))
    assert row == {
        "nan": None, "inf": None, "list": [None, 1.5], "struct": {"x": None}, "map": {"2026-03-02": None},
        "price": "1.25", "time": "08:30:00", "yes": True,
    }  # fmt: skip


def test_json_of_no_rows_is_an_empty_array(connection: duckdb.DuckDBPyConnection, capsys: pytest.CaptureFixture[str]) -> None:
    run(connection, "SELECT 1 WHERE false", "json")
    assert capsys.readouterr().out == "[]\n"


def test_csv_quotes_what_needs_it(connection: duckdb.DuckDBPyConnection, capsys: pytest.CaptureFixture[str]) -> None:
    run(connection, ROWS, "csv")
    assert capsys.readouterr().out == 'n,text,at\n1,"早餐, 豆浆",2025-11-30T20:00:00+08:00\n2,,\n'


def test_a_table_shows_local_times(connection: duckdb.DuckDBPyConnection, capsys: pytest.CaptureFixture[str]) -> None:
    run(connection, ROWS, "table")
    assert capsys.readouterr().out.splitlines()[1].split()[-2:] == ["2025-11-30", "20:00:00+08:00"]


def test_a_long_table_is_cut_and_says_so(connection: duckdb.DuckDBPyConnection, capsys: pytest.CaptureFixture[str]) -> None:
    run(connection, "SELECT * FROM range(501)", "table")
    streams = capsys.readouterr()
    assert len(streams.out.splitlines()) == 501
    assert "--json or --csv" in streams.err


def test_a_wrong_query_is_one_line_of_duckdbs_words(connection: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(InvalidRequest, match=r"^SQL: .*turms") as caught:
        run(connection, "SELECT * FROM turms", "table")
    assert "\n" not in caught.value.message


@pytest.mark.parametrize(
    ("query", "quoted"),
    [
        ("SELECT at, max(at) AT FROM t ORDER BY t.at", 'SELECT "at", max("at") "at" FROM t ORDER BY t."at"'),
        ("SELECT at AT TIME ZONE 'at' FROM lat -- at", "SELECT \"at\" AT TIME ZONE 'at' FROM lat -- at"),
        ('SELECT "at", $$at$$ /* at */ FROM t AT (VERSION => 1)', 'SELECT "at", $$at$$ /* at */ FROM t AT (VERSION => 1)'),
    ],
)
def test_the_column_at_needs_no_quotes(query: str, quoted: str) -> None:
    assert quoted_at(query) == quoted


def test_no_lake_says_how_to_get_one(laoma: Laoma, home: Path) -> None:
    done = laoma("sql", "SELECT 1")
    assert done.code == 1
    assert str(home) in done.err


def test_an_empty_query_is_misuse(laoma: Laoma, home: Path) -> None:
    home.mkdir()
    assert laoma("sql", "  ").code == 2


def _documented() -> list[str]:
    text = (Path(__file__).parents[2] / "docs" / "sql.md").read_text(encoding="utf-8")
    return [query for query in re.findall(r"```sql\n(.*?)```", text, re.DOTALL) if "read_parquet" not in query]


@pytest.fixture(scope="module")
def empty_lake(tmp_path_factory: pytest.TempPathFactory) -> duckdb.DuckDBPyConnection:
    """The real views over a home in which nothing was written yet."""
    return connect(tmp_path_factory.mktemp("home"))


@pytest.mark.parametrize("query", _documented())
def test_each_documented_query_runs_even_on_an_empty_lake(
    empty_lake: duckdb.DuckDBPyConnection, query: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run(empty_lake, query, "json")
    assert capsys.readouterr().out == "[]\n"


def test_one_shot_reads_the_lake_of_the_home(laoma: Laoma, home: Path) -> None:
    home.mkdir()
    done = laoma("sql", "--csv", "SELECT count(at) AS n FROM turns")
    assert (done.code, done.out, done.err) == (0, "n\n0\n", "")


def test_dot_commands_come_through_a_pipe_too(laoma: Laoma, home: Path) -> None:
    home.mkdir()
    views = laoma("sql", "--csv", stdin=".views\n")
    assert views.code == 0, views.err
    names = views.out.split()
    assert {"turns", "memories", "changes", "events", "feedback", "evals", "benchmarks"} <= set(names)
    assert [name for name in names if name.startswith(("hot_", "sealed_", "measured_"))] == []
    mixed = laoma("sql", "--csv", stdin="SELECT 1\n  AS one;\n.columns turns\nSELECT '.quit' AS two;\n")
    assert mixed.out.startswith("one\n1\ncolumn_name")
    assert mixed.out.endswith("two\n.quit\n")
    assert laoma("sql", ".views", "--json").out.count("view_name") == len(names) - 1
    assert ".views" in laoma("sql", stdin=".help\n").err


def test_columns_of_one_name_are_all_in_the_json(connection: duckdb.DuckDBPyConnection, capsys: pytest.CaptureFixture[str]) -> None:
    run(connection, "SELECT 1 AS a, 2 AS a, 3 AS a_2, 4 AS a", "json")
    assert json.loads(capsys.readouterr().out) == [{"a": 1, "a_2": 2, "a_2_2": 3, "a_3": 4}]
