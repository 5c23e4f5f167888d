"""An erasure holds up the user it erases and nobody else, and waits for long work before it holds up anybody."""

from __future__ import annotations

import asyncio
import threading

import pytest

from tests.serve.house import House
from tests.serve.test_erasing import MARK, holding


@pytest.fixture
def stuck(monkeypatch: pytest.MonkeyPatch) -> tuple[threading.Event, threading.Event]:
    """An erasure that stands still inside: (it is there, let it go on)."""
    from lake import erasure

    there, on = threading.Event(), threading.Event()
    real = erasure.erase_user

    def slow(*args: object) -> int:
        there.set()
        assert on.wait(20)
        return real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr("serve.shard.erasing.erase_user", slow)
    return there, on


async def test_others_are_answered_while_somebody_is_erased(house: House, stuck: tuple[threading.Event, threading.Event]) -> None:
    await house.tell("alice", f"我最喜欢的咖啡馆是{MARK}。")
    await house.tell("bob", "我住在苏州。")
    there, on = stuck
    erasing = asyncio.create_task(house.as_("alice").delete("/v1/me", params={"user": "alice"}))
    assert await asyncio.to_thread(there.wait, 20)
    mine = asyncio.create_task(house.memories("alice"))
    async with asyncio.timeout(15):
        assert await house.memories("bob")
        await house.tell("bob", "我养了一只叫团子的猫。")
    assert not mine.done()
    on.set()
    assert (await erasing).status_code == 200
    assert await mine == []
    assert holding(house.home, MARK) == []


async def test_while_an_erasure_waits_for_a_sealing_its_user_is_answered_too(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    await house.tell("alice", f"我最喜欢的咖啡馆是{MARK}。")
    there, on = threading.Event(), threading.Event()

    def slow(*_: object, **__: object) -> str:
        there.set()
        assert on.wait(20)
        return "sealed"

    monkeypatch.setattr("serve.shard.service.seal", slow)
    sealing = asyncio.create_task(house.service.seal())
    assert await asyncio.to_thread(there.wait, 20)
    erasing = asyncio.create_task(house.as_("alice").delete("/v1/me", params={"user": "alice"}))
    async with asyncio.timeout(15):
        for _ in range(3):
            assert await house.memories("alice")
    assert not erasing.done()
    on.set()
    await sealing
    assert (await erasing).status_code == 200
    assert await house.memories("alice") == []
    assert holding(house.home, MARK) == []


async def test_access_counts_that_wait_do_not_bring_a_memory_back(house: House, stuck: tuple[threading.Event, threading.Event]) -> None:
    await house.tell("alice", f"我最喜欢的咖啡馆是{MARK}。")
    active = house.service._users.loaded()[0]
    active.accessed |= {memory.id for memory in active.memories.all()}  # as a recall leaves them
    assert active.accessed
    there, on = stuck
    erasing = asyncio.create_task(house.as_("alice").delete("/v1/me", params={"user": "alice"}))
    assert await asyncio.to_thread(there.wait, 20)
    await house.service._users.write_accesses(active)
    on.set()
    assert (await erasing).status_code == 200
    await house.service._users.write_accesses(active)
    assert holding(house.home, MARK) == []
