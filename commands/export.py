"""export: everything of yours, as JSON lines."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, TextIO

import typer

from commands.output import print_line, print_note, say, waiting
from commands.place import here
from schemas.errors import LaomaError

PRIVATE = 0o600
EVERY = 1000
"""Lines between two words about the progress."""


def export(
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file, not to the screen.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file.")] = False,
) -> None:
    """Everything that is stored of you, as JSON lines · 导出你的全部数据

    The running service writes it, for the user of the key: `laoma up` first.

    \b
    Examples:
      laoma export > laoma.jsonl
      laoma export --output laoma.jsonl
    """
    if output is not None and output.exists() and not force:
        raise LaomaError(f"{output} is there already: choose another name, or --force")
    count = 0
    with (
        waiting(say("exporting", "正在导出")) if output else nullcontext(lambda _words: None) as words,
        here().service().stream("GET", "/v1/export") as answer,
        _private(output) if output else nullcontext() as file,
    ):
        for line in answer.lines:
            if file is None:
                print_line(line)
            else:
                file.write(line + "\n")
            count += 1
            if count % EVERY == 0:
                words(say(f"{count} rows", f"{count} 行"))
    if output:
        print_note(say(f"{count} rows in {output}", f"{count} 行已写入 {output}"))


def _private(path: Path) -> TextIO:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE), "w", encoding="utf-8")
