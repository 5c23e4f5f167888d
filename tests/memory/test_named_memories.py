"""What "forget …" takes with it, and what it leaves alone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory.named_memories import named
from schemas.memory import Memory

AT = datetime(2026, 3, 2, tzinfo=UTC)
TEXTS = {
    "我对青霉素过敏": "健康/过敏/青霉素",
    "我得了痛风": "备忘/痛风",
    "我住在苏州": "住址/城市",
    "他是我的室友": "关系/室友",
    "I like tea": "preference/drink",
    "My home is big": "home",
}


def row(number: int, text: str, key: str) -> Memory:
    return Memory(id=f"m{number}", user="u", kind="fact", key=key, text=text, created_at=AT, updated_at=AT)


@pytest.mark.parametrize(
    ("about", "texts"),
    [
        ("我住在苏州", ["我住在苏州"]),
        ("苏州", ["我住在苏州"]),
        ("I like tea", ["I like tea"]),
        ("tea", ["I like tea"]),
        ("他", []),
        ("me", []),
        ("我", []),
        ("我的健康信息", ["我对青霉素过敏", "我得了痛风"]),
        ("my health details", ["我对青霉素过敏", "我得了痛风"]),
        ("我的血型", []),
    ],
)
def test_those_that_hold_the_words_or_are_of_the_matter(about: str, texts: list[str]) -> None:
    rows = [row(number, text, key) for number, (text, key) in enumerate(TEXTS.items())]
    assert [memory.text for memory in named(rows, about)] == texts
