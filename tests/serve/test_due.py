"""When a cron expression is due: in the user's zone, through both changes of the clock, the same forwards and backwards."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from serve.due import last_due, next_due

SHANGHAI, NEW_YORK, LORD_HOWE = ZoneInfo("Asia/Shanghai"), ZoneInfo("America/New_York"), ZoneInfo("Australia/Lord_Howe")


def _at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_sunday_at_three_is_three_in_the_users_zone() -> None:
    assert next_due("0 3 * * sun", SHANGHAI, _at("2026-03-04T12:00")) == _at("2026-03-07T19:00")
    assert last_due("0 3 * * sun", SHANGHAI, _at("2026-03-04T12:00")) == _at("2026-02-28T19:00")


def test_the_moment_itself_is_due_and_not_next() -> None:
    at = _at("2026-03-07T19:00")
    assert last_due("0 3 * * sun", SHANGHAI, at) == at
    assert next_due("0 3 * * sun", SHANGHAI, at) == at + timedelta(days=7)


def test_a_skipped_hour_runs_once_after_the_gap() -> None:
    # 8 March 2026: 02:00 becomes 03:00 in New York
    runs = _runs("30 2 * * *", NEW_YORK, _at("2026-03-07T12:00"), _at("2026-03-10T12:00"))
    assert runs == [_at("2026-03-08T07:30"), _at("2026-03-09T06:30"), _at("2026-03-10T06:30")]


def test_an_hour_that_comes_twice_runs_once() -> None:
    # 1 November 2026: 01:30 comes twice in New York
    runs = _runs("30 1 * * *", NEW_YORK, _at("2026-10-31T12:00"), _at("2026-11-02T12:00"))
    assert runs == [_at("2026-11-01T05:30"), _at("2026-11-02T06:30")]


@pytest.mark.parametrize("zone", [SHANGHAI, NEW_YORK, LORD_HOWE])
@pytest.mark.parametrize("cron", ["0 3 * * sun", "0 0 * * *", "0 */6 * * *", "30 2 * * *", "15 1 * * *", "*/30 * * * *"])
def test_looking_back_and_ahead_agree_at_every_quarter_of_an_hour(cron: str, zone: ZoneInfo) -> None:
    for start in ("2026-03-07T00:00", "2026-04-04T00:00", "2026-10-03T00:00", "2026-10-31T00:00"):
        begin = _at(start)
        known: set[datetime] = set()
        for quarter in range(4 * 60):
            now = begin + timedelta(minutes=15 * quarter)
            known.add(last_due(cron, zone, now))
            assert last_due(cron, zone, next_due(cron, zone, now)) == next_due(cron, zone, now)
        end = begin + timedelta(minutes=15 * (4 * 60 - 1))
        assert {at for at in known if at > begin} == set(_runs(cron, zone, begin, end))


def _runs(cron: str, zone: ZoneInfo, begin: datetime, end: datetime) -> list[datetime]:
    found, at = [], begin
    while (at := next_due(cron, zone, at)) <= end:
        found.append(at)
    return found
