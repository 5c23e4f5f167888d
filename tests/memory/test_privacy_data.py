"""How masking does on the labelled set: no secret left, few harmless texts touched."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from memory.privacy import redact

DATA = Path(os.environ.get("LAOMA_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))


def rows() -> list[dict[str, Any]]:
    path = DATA / "evalsets" / "privacy.jsonl"
    if not path.exists():
        pytest.skip(f"no evaluation data at {path}: set LAOMA_DATA")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


NEEDS_MEANING = ("health", "gov_affairs")
"""Kinds that are told by what a text means, not by its form: the consent rules' part, not masking's."""


@pytest.mark.data
def test_no_span_that_may_not_be_stored_survives_masking():
    leaks = [
        (row["id"], span) for row in rows() if row["kind"] not in NEEDS_MEANING for span in row["spans"] if span in redact(row["text"]).text
    ]
    assert leaks == []


@pytest.mark.data
def test_at_most_two_percent_of_harmless_texts_are_touched():
    harmless = [row for row in rows() if row["expect"] == "allow"]
    touched = [row["id"] for row in harmless if redact(row["text"]).text != row["text"]]
    assert len(touched) <= 0.02 * len(harmless), touched
