"""Prompts for models: a file each and language, with what it is told as values; texts of others go in as quoted data."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib import resources
from typing import Literal

import jinja2

Language = Literal["zh", "en"]
_PART = re.compile(r"^## (system|user)\n", re.MULTILINE)


def render(name: str, language: Language, *, package: str = __name__, **values: object) -> list[dict[str, str]]:
    """The messages of the prompt ``name`` (``memory/prompts/NAME.LANGUAGE.md``, or in another ``package``), a system and a user one."""
    pieces = _PART.split(source(name, language, package))
    return [
        {"role": role, "content": _environment().from_string(text).render(values).strip()}
        for role, text in zip(pieces[1::2], pieces[2::2], strict=True)
    ]


@cache
def source(name: str, language: Language, package: str = __name__) -> str:
    """The text of a prompt as it lies in its file."""
    return resources.files(package).joinpath(f"{name}.{language}.md").read_text(encoding="utf-8")


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False)
    environment.filters["quoted"] = _quoted
    return environment


def _quoted(text: str) -> str:
    """One line that nothing in it can end: a JSON string."""
    return json.dumps(text, ensure_ascii=False)
