"""Word patterns that hint at something: features for a head, never verdicts by themselves."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

import yaml

QUOTED = re.compile(r"[“\"「『《‘][^”\"」』》’]*[”\"」』》’]|(?<!\w)'[^']*'(?!\w)")
"""What stands in quotation marks is content: its words are no hints."""


@cache
def hints(file: str) -> dict[str, re.Pattern[str]]:
    """The patterns of ``evolution/hints/FILE.yaml``, by name, in the order of the file; case does not count."""
    rows = yaml.safe_load((resources.files("evolution.hints") / f"{file}.yaml").read_text(encoding="utf-8"))
    return {name: re.compile("|".join(parts), re.I) for name, parts in rows.items()}
