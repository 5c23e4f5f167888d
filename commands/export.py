"""export: everything of yours, as JSON lines or as Markdown to read."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import nullcontext
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TextIO

import typer

from commands.output import print_line, print_note, say, speaks_chinese, waiting
from commands.place import Place, here
from schemas.errors import LaomaError

PRIVATE = 0o600
EVERY = 1000
"""Lines between two words about the progress."""


class Format(StrEnum):
    """How it is written."""

    jsonl = "jsonl"
    markdown = "markdown"


def export(
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file, not to the screen.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file.")] = False,
    format: Annotated[
        Format, typer.Option(help="jsonl: every row, for programs; markdown: memories and conversations, to read.")
    ] = Format.jsonl,
) -> None:
    """Everything that is stored of you · 导出你的全部数据

    The running service writes it, for the user of the key: `laoma up` first.

    \b
    Examples:
      laoma export > laoma.jsonl
      laoma export --output laoma.jsonl
      laoma export --format markdown --output laoma.md
    """
    if output is not None and output.exists() and not force:
        raise LaomaError(f"{output} is there already: choose another name, or --force")
    count, place = 0, here()
    with (
        waiting(say("exporting", "正在导出")) if output else nullcontext(lambda _words: None) as words,
        place.service().stream("GET", "/v1/export") as answer,
        _private(output) if output else nullcontext() as file,
    ):
        for line in answer.lines if format is Format.jsonl else _readable(answer.lines, place):
            if file is None:
                print_line(line)
            else:
                file.write(line + "\n")
            count += 1
            if count % EVERY == 0:
                words(say(f"{count} rows", f"{count} 行"))
    if output:
        print_note(say(f"{count} {'rows' if format is Format.jsonl else 'lines'} in {output}", f"{count} 行已写入 {output}"))


def _readable(lines: Iterable[str], place: Place) -> Iterable[str]:
    from datetime import UTC, datetime

    from serve.markdown_export import CHINESE, ENGLISH, as_markdown

    text = as_markdown(lines, CHINESE if speaks_chinese() else ENGLISH, place.zone, datetime.now(UTC))
    return (line for part in text for line in part.split("\n"))


def _private(path: Path) -> TextIO:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE), "w", encoding="utf-8")
