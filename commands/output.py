"""What a command prints: JSON for programs, tables for people, two languages for short messages, progress for waiting."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from schemas.errors import LaomaError, Misuse

if TYPE_CHECKING:
    from datetime import tzinfo

    from rich.console import Console

PIPE_WIDTH = 1000
"""Columns where no terminal sets a width: rows stay on one line for grep."""


def speaks_chinese() -> bool:
    """Whether the locale asks for Chinese messages."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if os.environ.get(name):
            return os.environ[name].lower().startswith("zh")
    return False


def say(english: str, chinese: str) -> str:
    """The message in the reader's language."""
    return chinese if speaks_chinese() else english


def console(*, stderr: bool = False) -> Console:
    """A rich console; plain and wide when its stream is no terminal. Made anew each time: tests and pipes swap the streams."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    return Console(stderr=stderr, width=None if stream.isatty() else PIPE_WIDTH, highlight=False, emoji=False, markup=False)


def print_json(value: Any) -> None:
    """``value`` as indented JSON, Chinese readable; what JSON lacks is written as text."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2, default=str) + "\n")


def print_line(text: str = "") -> None:
    """A line of plain text to stdout."""
    sys.stdout.write(text + "\n")


def print_note(text: str) -> None:
    """A line to stderr: news about the command, not its result."""
    sys.stderr.write(text + "\n")


def piped() -> str:
    """What comes through a pipe to stdin. Raises Misuse where it is no UTF-8."""
    try:
        text = sys.stdin.read()
        text.encode()  # some locales let other bytes pass as surrogates
    except UnicodeError:
        raise Misuse(
            say(
                "what comes through the pipe is no text in UTF-8 (`iconv -f GBK -t UTF-8`)",
                "管道送来的不是 UTF-8 文本（`iconv -f GBK -t UTF-8`）",
            )
        ) from None
    return text


def confirm(question: str, yes: bool) -> None:
    """Asks before something that can't be undone. Raises Misuse where nobody can be asked, LaomaError where the answer is no."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise Misuse(
            say("this can't be undone and nobody is at a terminal to be asked: add --yes", "此操作无法撤销，又没有终端可以询问：请加 --yes")
        )
    print_note(question)
    sys.stderr.write(say("Sure? [y/N] ", "确定吗？[y/N] "))
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in ("y", "yes", "是"):
        raise LaomaError(say("nothing was changed", "没有任何改动"))


def in_path(id: str) -> str:
    """An id as a part of an URL's path."""
    from urllib.parse import quote

    return quote(id, safe="")


def print_table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Rows under their columns; a piped table has no frame and no colours."""
    from rich import box
    from rich.table import Table

    out = console()
    table = Table(box=box.SIMPLE_HEAD if out.is_terminal else None, pad_edge=False, header_style="bold")
    for name in columns:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*(_cell(value) for value in row))
    out.print(table)


def short_time(moment: str | None, zone: tzinfo) -> str:
    """An ISO time for people: ``2025-11-30 21:04`` in the user's zone; what is no time stays as it is."""
    from datetime import datetime

    if not moment:
        return ""
    try:
        return datetime.fromisoformat(moment).astimezone(zone).strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return moment


def size(count: float) -> str:
    """Bytes for people: ``1.4 GB``."""
    for unit in ("B", "KB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.2f} GB"


@contextmanager
def waiting(what: str) -> Iterator[Callable[[str], None]]:
    """Shows on a terminal that something is under way, and for how long; the yielded function changes the words. Silent elsewhere."""
    out = console(stderr=True)
    if not out.is_terminal:
        yield lambda _words: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    with Progress(TextColumn("{task.description}"), BarColumn(bar_width=24), TimeElapsedColumn(), console=out, transient=True) as progress:
        task = progress.add_task(what, total=None)
        yield lambda words: progress.update(task, description=words)


@contextmanager
def stepping(what: str) -> Iterator[Callable[[str, int, int | None], None]]:
    """Shows on a terminal how far something has come: tell the yielded function what, how much is done, of how much. Silent elsewhere."""
    out = console(stderr=True)
    if not out.is_terminal:
        yield lambda _words, _done, _total: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(bar_width=32), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=out, transient=True) as progress:
        task = progress.add_task(what, total=None)
        yield lambda words, done, total: progress.update(task, description=words, completed=done, total=total)


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.2f}" if isinstance(value, float) else str(value)
