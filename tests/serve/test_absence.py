"""A call to a shard that no replica serves ends with a clear word, one that is being replaced is waited for."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from schemas.errors import Unavailable
from serve.absence import Absence, last_line
from serve.shard.service import ShardService
from serve.shards import RemoteShards


class Handle:
    """A deployment's handle as Serve's: it waits for a replica without end."""

    deployment_name = "MemoryShard-0"

    def __init__(self) -> None:
        self.answer: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        self.perform = SimpleNamespace(remote=lambda *_: self.answer)


def shards(handle: Any, states: dict[str, str | None], patience_s: float) -> RemoteShards:
    return RemoteShards([handle], lambda _user, _count: 0, absence=Absence(lambda: states, patience_s=patience_s))


async def test_a_shard_that_stays_away_is_said_with_the_reason_and_when_to_try_again() -> None:
    handle = Handle()
    with pytest.raises(Unavailable, match=r"^The memory does not answer \(the table is torn\): `laoma status` says more\.$") as caught:
        await shards(handle, {"MemoryShard-0": "the table is torn"}, 0).call(ShardService.profile, "lin")
    assert caught.value.retry_after == 5
    assert handle.answer.cancelled()


async def test_a_shard_that_is_soon_back_is_waited_for() -> None:
    handle = Handle()
    waiting = asyncio.ensure_future(shards(handle, {"MemoryShard-0": "it is being replaced"}, 60).call(ShardService.profile, "lin"))
    done, _ = await asyncio.wait({waiting}, timeout=0.7)
    assert not done
    handle.answer.set_result("it is back")
    assert await waiting == "it is back"


async def test_a_long_answer_of_a_living_shard_is_waited_for() -> None:
    handle = Handle()
    waiting = asyncio.ensure_future(shards(handle, {"MemoryShard-0": None}, 0).call(ShardService.profile, "lin"))
    done, _ = await asyncio.wait({waiting}, timeout=0.7)
    assert not done
    handle.answer.set_result("at last")
    assert await waiting == "at last"


async def test_patience_begins_anew_after_an_answer() -> None:
    now = 0.0
    states: dict[str, str | None] = {"a": "torn"}
    absence = Absence(lambda: states, patience_s=10, monotonic=lambda: now)
    assert await absence.reason("a") is None
    now = 11
    assert await absence.reason("a") == "torn"
    absence.answered("a")
    now = 13
    assert await absence.reason("a") is None


async def test_a_serve_that_does_not_answer_is_said_too() -> None:
    def gone() -> dict[str, str | None]:
        raise ConnectionError

    assert await Absence(gone, patience_s=0).reason("a") == "Ray Serve does not say (ConnectionError)"


def test_of_a_traceback_the_last_line_is_said() -> None:
    assert last_line("Traceback\n  File x\nValueError: torn\n\n") == "ValueError: torn"
