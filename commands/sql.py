"""sql: ask the lake in DuckDB's SQL, once or interactively."""

from __future__ import annotations

import csv
import json
import math
import re
import sys
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from commands.output import piped, print_line, print_note, print_table, say, waiting
from commands.place import here
from schemas.errors import InvalidRequest, LaomaError

if TYPE_CHECKING:
    import duckdb

Form = Literal["table", "json", "csv"]
TABLE_ROWS = 500
"""Rows that a table on the screen shows at most; JSON and CSV give all."""
BATCH = 1000
HISTORY_LINES = 1000
HELP = (
    "End a statement with ; · .views lists the views · .columns VIEW · .refresh sees what was written since · .quit",
    "语句以 ; 结束 · .views 列出视图 · .columns VIEW 列出列 · .refresh 重读新数据 · .quit 退出",
)
_AT = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | \$\$.*?\$\$ | --[^\n]* | /\*.*?\*/ | (?P<at>\bat\b(?!\s*\()(?!\s+time\s+zone\b))""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
VIEWS = "SELECT view_name FROM duckdb_views() WHERE NOT internal AND NOT regexp_matches(view_name, '^(hot|sealed|measured)_') ORDER BY 1"
"""Those for people; the others are what they are made of (lake/sql.py)."""


def sql(
    query: Annotated[str | None, typer.Argument(help="SQL; without it a prompt opens (or stdin is read).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON array of rows.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV with a header.")] = False,
) -> None:
    """Ask the lake in SQL · 用 SQL 查询

    DuckDB over the views turns, memories, changes, events and more; read-only. See docs/sql.md.

    \b
    Examples:
      laoma sql "SELECT kind, count(*) FROM memories GROUP BY ALL"
      laoma sql --json "SELECT date_trunc('day', at) AS day, count(*) AS n FROM turns GROUP BY ALL ORDER BY ALL"
      laoma sql
    """
    if as_json and as_csv:
        raise typer.BadParameter("--json or --csv, not both")
    form: Form = "json" if as_json else "csv" if as_csv else "table"
    home = here().home
    if not home.exists():
        raise LaomaError(f"there is no lake at {home}: start laoma with `laoma up`, or set LAOMA_HOME")
    if query is None and not sys.stdin.isatty():
        query = piped()
    if query is None:
        _interactive(home, form)
    elif not query.strip():
        raise typer.BadParameter("the query is empty")
    else:
        connection = _connect(home)
        for statement in statements(query):
            connection = _do(home, connection, statement, form)


def statements(text: str) -> list[str]:
    """What a pipe brings: lines that begin with a dot are commands of their own, what stands between them is SQL."""
    found: list[str] = []
    for line in text.splitlines(keepends=True):
        if line.startswith(".") or not found or found[-1].startswith("."):
            found.append(line)
        else:
            found[-1] += line
    return [one.strip() for one in found if one.strip(" ;\n")]


def documented() -> dict[str, str]:
    """The ten questions of docs/sql.md, as :func:`run` asks them: words → SQL. Raises LaomaError where the page is not beside the code."""
    page = Path(__file__).parents[1] / "docs" / "sql.md"
    if not page.exists():
        raise LaomaError(f"{page} is not there: run laoma from its checkout")
    _, _, rest = page.read_text(encoding="utf-8").partition("## Ten questions\n")
    ten = rest.partition("\n## ")[0]
    return {words: quoted_at(query) for words, query in re.findall(r"^([^\n`]+)\n\n```sql\n(.*?)```", ten, re.DOTALL | re.MULTILINE)}


def run(connection: duckdb.DuckDBPyConnection, query: str, form: Form) -> None:
    """Runs the query and prints its rows. Raises InvalidRequest with DuckDB's own words."""
    import duckdb

    try:
        with waiting(say("asking", "正在查询")):
            cursor = connection.execute(quoted_at(query))
        columns = [column[0] for column in cursor.description or []]
        _PRINTERS[form](columns, _rows(cursor))
    except duckdb.Error as error:
        raise InvalidRequest(f"SQL: {str(error).strip().splitlines()[0]}") from None


def quoted_at(query: str) -> str:
    """The query with the column ``at`` quoted: DuckDB 2 reserves the word for ``AT TIME ZONE`` and ``AT (VERSION …)``."""
    return _AT.sub(lambda found: '"at"' if found["at"] else found[0], query)


def _connect(home: Path) -> duckdb.DuckDBPyConnection:
    with waiting(say("opening the lake", "正在打开数据湖")):
        from lake.sql import connect

        return connect(home)


def _rows(cursor: duckdb.DuckDBPyConnection) -> Iterator[tuple[object, ...]]:
    while batch := cursor.fetchmany(BATCH):
        yield from batch


def _print_rows(columns: Sequence[str], rows: Iterator[tuple[object, ...]]) -> None:
    shown: list[list[object]] = []
    for row in rows:
        if len(shown) == TABLE_ROWS:
            print_table(columns, shown)
            print_note(
                say(f"(the first {TABLE_ROWS} rows: --json or --csv gives all)", f"（只显示前 {TABLE_ROWS} 行；--json 或 --csv 给出全部）")
            )
            return
        shown.append([_for_people(value) for value in row])
    print_table(columns, shown)


def _print_json(columns: Sequence[str], rows: Iterator[tuple[object, ...]]) -> None:
    opening, names = "[", _distinct(columns)
    for row in rows:
        record = dict(zip(names, row, strict=True))
        sys.stdout.write(opening + "\n  " + json.dumps(_plain(record), ensure_ascii=False, allow_nan=False))
        opening = ","
    sys.stdout.write("[]\n" if opening == "[" else "\n]\n")


def _distinct(columns: Sequence[str]) -> list[str]:
    """An object holds a name once: the second ``a`` is ``a_2``."""
    names: list[str] = []
    for column in columns:
        name, number = column, 1
        while name in names:
            number += 1
            name = f"{column}_{number}"
        names.append(name)
    return names


def _print_csv(columns: Sequence[str], rows: Iterator[tuple[object, ...]]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([value.isoformat() if isinstance(value, (datetime, date)) else value for value in row] for row in rows)


_PRINTERS = {"table": _print_rows, "json": _print_json, "csv": _print_csv}


def _plain(value: object) -> object:
    """The value in what JSON has: no NaN nor infinity (null), keys that are texts."""
    match value:
        case None | str() | bool() | int():
            return value
        case float():
            return value if math.isfinite(value) else None
        case dict():
            return {str(key.isoformat() if isinstance(key, (datetime, date)) else key): _plain(one) for key, one in value.items()}
        case list() | tuple():
            return [_plain(one) for one in value]
        case datetime() | date():
            return value.isoformat()
        case _:
            return str(value)


def _for_people(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat(sep=" ", timespec="seconds")
    return value if isinstance(value, float) or value is None else str(value)


def _interactive(home: Path, form: Form) -> None:
    _remember_lines(home / "cache" / "sql_history")
    connection = _connect(home)
    print_note(say(*HELP))
    while (statement := _next_statement()) is not None:
        if statement in (".quit", ".exit"):
            return
        try:
            connection = _do(home, connection, statement, form)
        except LaomaError as error:
            print_note(f"laoma: {error.message}")
        except KeyboardInterrupt:
            print_note(say("stopped", "已停止"))


def _do(home: Path, connection: duckdb.DuckDBPyConnection, statement: str, form: Form) -> duckdb.DuckDBPyConnection:
    """One statement or dot command; the connection for the next one."""
    word, _, argument = statement.partition(" ")
    if word == ".refresh":
        return _connect(home)
    if word == ".views":
        run(connection, VIEWS, form)
    elif word == ".columns" and argument.strip(" ;").isidentifier():
        run(connection, f"DESCRIBE {argument.strip(' ;')}", form)
    elif word.startswith("."):
        if word not in (".quit", ".exit"):
            print_note(say(*HELP))
    elif statement.strip(" ;"):
        run(connection, statement, form)
    return connection


def _next_statement() -> str | None:
    """Lines up to one that ends with a semicolon; None at the end of input. Ctrl-C drops what was begun."""
    lines: list[str] = []
    while True:
        try:
            line = input("laoma> " if not lines else "   ... ")
        except EOFError:
            print_line()
            return None
        except KeyboardInterrupt:
            print_line()
            lines = []
            continue
        lines.append(line)
        if line.rstrip().endswith(";") or (len(lines) == 1 and (not line.strip() or line.startswith("."))):
            return "\n".join(lines).strip()


def _remember_lines(path: Path) -> None:
    import atexit
    import readline

    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.touch(mode=0o600)
    readline.read_history_file(path)
    readline.set_history_length(HISTORY_LINES)
    atexit.register(readline.write_history_file, path)
