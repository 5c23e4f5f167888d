"""What a message tells the person to run exists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.main

from commands.app import build
from schemas.job import JOBS

REPO = Path(__file__).parents[2]
ROOMS = ("schemas", "memory", "lake", "serve", "jobs", "commands")
ADVICE = re.compile(r"`laoma ([a-z]+)(?: ([a-z]+))?(?: ([a-z]+))?")


def advice() -> Iterator[tuple[str, ...]]:
    for room in ROOMS:
        for path in sorted((REPO / room).rglob("*.py")):
            for words in ADVICE.findall(path.read_text(encoding="utf-8")):
                yield tuple(word for word in words if word)


@pytest.mark.parametrize("words", sorted(set(advice())), ids=" ".join)
def test_a_command_that_a_message_names_exists(words: tuple[str, ...]) -> None:
    command = typer.main.get_command(build())
    for number, word in enumerate(words):
        below = getattr(command, "commands", None)
        if below is None:
            break
        assert word in below, f"laoma {' '.join(words[: number + 1])}"
        command = below[word]
    if words[:2] == ("job", "submit") and len(words) == 3:
        assert words[2] in JOBS
