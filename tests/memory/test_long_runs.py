"""No pattern takes more than linear time on long runs of one character: a message of digits must not hold up a shard."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from memory.extract.offline import OfflineExtractor
from memory.extract.protocol import Passage
from memory.privacy import redact
from memory.thread import Node
from memory.turn_marks import asks_what_was_said, is_question, says_a_time
from schemas.turn import Turn

AT = datetime(2026, 3, 2, tzinfo=UTC)
LONG = 200_000
"""Quadratic patterns took over ten minutes on so many characters; linear ones take milliseconds."""


@pytest.mark.parametrize("char", ["1", "十", "?", "!", " ", "a", "我", "\ue200", "月", "年", "-", ",", "吗", "the "])
def test_a_long_run_of_one_character_is_read_to_its_end(char: str) -> None:
    text = char * (LONG // len(char)) + "x"
    assert says_a_time(text) in (True, False)
    assert is_question(text) in (True, False)
    assert asks_what_was_said(text) in (True, False)
    assert len(Node.of(Turn(id="t", user="u", conversation="c", exchange="e", at=AT, role="assistant", content=text)).hash) > 0
    assert OfflineExtractor().extract(Passage(text, AT, ZoneInfo("Asia/Shanghai"))) == []
    assert redact(text).text
