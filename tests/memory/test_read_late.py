"""An old log that is read late confirms what is known, and makes nothing older."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count

from memory.adjudicate import Confirm, Create
from memory.remember import apply
from memory.statement import Statement

NOW = datetime(2026, 3, 2, tzinfo=UTC)
SAID = Statement("preference", "偏好/乌龙茶", "我喜欢喝乌龙茶", "乌龙茶", "rule")


def test_an_old_log_that_confirms_makes_nothing_older() -> None:
    numbers = count()

    def new_id() -> str:
        return f"i{next(numbers)}"

    (known,), _ = apply(Create("first"), SAID, user="u", turn_id="t1", at=NOW, new_id=new_id)
    (confirmed,), _ = apply(Confirm(known, 0.9, "again"), SAID, user="u", turn_id="t0", at=NOW - timedelta(days=400), new_id=new_id)
    assert (confirmed.verified_at, confirmed.updated_at) == (known.verified_at, known.updated_at)
    assert confirmed.confirmations == known.confirmations + 1
