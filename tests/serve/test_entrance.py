"""The entrance: a port that its replicas hand on, whatever the last one left behind; and gRPC ports that stay at home."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from schemas.errors import Unavailable
from serve.entrance import Entrance
from serve.loopback import _narrowed
from serve.ports import free_ports, holder, is_free


def entrance(port: int, word: str, *, slow_s: float = 0, patience_s: float = 5, grace_s: float = 5) -> Entrance:
    async def say(_: Request) -> PlainTextResponse:
        await asyncio.sleep(slow_s)
        return PlainTextResponse(word)

    return Entrance(Starlette(routes=[Route("/", say)]), "127.0.0.1", port, patience_s=patience_s, grace_s=grace_s)


@pytest.fixture
def port() -> int:
    return free_ports([None])[0]


async def test_it_serves_from_the_moment_it_is_open(port: int) -> None:
    opened = entrance(port, "one")
    await opened.open()
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
        assert (await client.get("/")).text == "one"
        assert "server" not in (await client.get("/")).headers
    await opened.close()
    assert is_free("127.0.0.1", port)


async def test_a_successor_waits_for_the_port_and_takes_over_at_once(port: int) -> None:
    first, second = entrance(port, "one"), entrance(port, "two")
    await first.open()
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
        assert (await client.get("/")).text == "one"  # the connection lingers on the server's side when it closes first
        waiting = asyncio.create_task(second.open())
        await first.close()
        await waiting
        assert (await client.get("/")).text == "two"
    await second.close()


async def test_what_is_under_way_is_answered_before_it_closes(port: int) -> None:
    opened = entrance(port, "late", slow_s=0.3)
    await opened.open()
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
        asked = asyncio.create_task(client.get("/"))
        await asyncio.sleep(0.1)
        await opened.close()
        assert (await asked).text == "late"


async def test_a_port_that_stays_taken_is_named(port: int) -> None:
    first = entrance(port, "one")
    await first.open()
    with pytest.raises(Unavailable, match=rf"cannot listen on 127\.0\.0\.1:{port}"):
        await entrance(port, "two", patience_s=0).open()
    assert not is_free("127.0.0.1", port)
    assert "python" in (holder(port) or "") or "pytest" in (holder(port) or "")
    await first.close()


async def test_a_closed_entrance_fails_its_replicas_health_check(port: int) -> None:
    opened = entrance(port, "one")
    with pytest.raises(Unavailable):
        opened.require_open()
    await opened.open()
    opened.require_open()
    await opened.close()
    with pytest.raises(Unavailable):
        opened.require_open()


def test_only_addresses_of_every_interface_are_narrowed() -> None:
    assert _narrowed("127.0.0.1:50051") == "127.0.0.1:50051"
    assert not _narrowed("[::]:0").startswith("[::]")
