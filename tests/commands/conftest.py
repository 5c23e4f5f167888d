"""A command as a person runs it: an environment and a home of its own, a scripted service; what it printed and how it ended."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import laoma as command_line
from tests.commands.scripted_service import KEY, Script, served


@dataclass(frozen=True)
class Outcome:
    """Exit status and both streams."""

    code: int
    out: str
    err: str


Laoma = Callable[..., Outcome]


@pytest.fixture
def service() -> Iterator[Script]:
    """A scripted service on a free port."""
    with served(Script()) as script:
        yield script


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An LAOMA_HOME that does not exist yet."""
    return tmp_path / "home"


@pytest.fixture
def laoma(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Laoma:
    """Runs ``laoma ARGUMENTS`` through the real entry point, in English unless LANG is given, without a terminal."""
    for name in list(os.environ):
        if name.startswith(("LAOMA_", "LC_")):
            monkeypatch.delenv(name)

    def run(*arguments: str, stdin: str = "", **environment: str) -> Outcome:
        for name, value in ({"LAOMA_HOME": str(home), "LANG": "C.UTF-8"} | environment).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "argv", ["laoma", *arguments])
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        capsys.readouterr()
        try:
            command_line.main()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
        streams = capsys.readouterr()
        return Outcome(code, streams.out, streams.err)

    return run


@pytest.fixture
def online(laoma: Laoma, service: Script) -> Laoma:
    """``laoma`` that speaks to the scripted service."""

    def run(*arguments: str, stdin: str = "", **environment: str) -> Outcome:
        return laoma(*arguments, stdin=stdin, **{"LAOMA_URL": service.address, "LAOMA_KEY": KEY, **environment})

    return run
