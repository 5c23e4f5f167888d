"""The READMEs say the same in two languages, and name only what there is."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.commands.conftest import Laoma

ROOT = Path(__file__).parents[2]
READMES = ("README.md", "README.zh-CN.md")
PAGES = [ROOT / name for name in READMES] + sorted((ROOT / "docs").rglob("*.md"))
COMMENT = re.compile(r"\s+#.*$", re.MULTILINE)


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def _blocks(text: str) -> list[tuple[str, str]]:
    return [(language, COMMENT.sub("", body)) for language, body in re.findall(r"```(\w+)\n(.*?)```", text, re.DOTALL)]


def _commands() -> list[list[str]]:
    lines = [line for language, body in _blocks(_text(READMES[0])) if language in ("bash", "text") for line in body.splitlines()]
    named = re.findall(r"`(laoma [^`]+)`", _text(READMES[0]))
    words = [shlex.split(line.split(" && ")[0], comments=True) for line in [*lines, *named]]
    return [[word for word in line[1:] if re.fullmatch(r"[a-z]+", word)] for line in words if line and line[0] == "laoma"]


def test_both_languages_show_the_same_code() -> None:
    english, chinese = (_blocks(_text(name)) for name in READMES)
    assert english == chinese


def test_both_languages_have_the_same_sections_and_tables() -> None:
    def shape(name: str) -> list[str]:
        return [line[:2] for line in _text(name).splitlines() if line.startswith(("#", "|", "- "))]

    assert shape(READMES[0]) == shape(READMES[1])


@pytest.mark.parametrize("command", {" ".join(words[:2]): words for words in _commands()}.values(), ids=" ".join)
def test_each_command_that_the_readme_names_is_there(laoma: Laoma, command: list[str]) -> None:
    groups = {"memories", "conversations", "key", "model", "job", "snapshot", "service"}
    known = command[:2] if command[0] in groups else command[:1]
    assert laoma(*known, "--help").code == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    links = [link for link in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")) if "://" not in link]
    assert [link for link in links if not (page.parent / link).exists()] == []
