"""The entrance: a port that its replicas hand on, whatever the last one left behind; and gRPC ports that stay at home."""

from __future__ import annotations

import asyncio
import socket

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from schemas.errors import Unavailable
from serve.entrance import Entrance, _listener
from serve.loopback import _narrowed
from serve.ports import free_ports, holder, is_free


def entrance(port: int, word: str, *, slow_s: float = 0, patience_s: float = 5, grace_s: float = 5, request_s: float = 30) -> Entrance:
    async def say(request: Request) -> PlainTextResponse:
        await request.body()
        await asyncio.sleep(slow_s)
        return PlainTextResponse(word)

    routes = [Route("/", say, methods=["GET", "POST"])]
    return Entrance(Starlette(routes=routes), "127.0.0.1", port, patience_s=patience_s, grace_s=grace_s, request_s=request_s)


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


HALF = {
    "body": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{",
    "head": b"GET / HTTP/1.1\r\nHost: ",
    "chunk": b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
}


@pytest.mark.parametrize("half", HALF.values(), ids=HALF)
async def test_what_is_sent_by_half_is_refused_when_its_time_is_over(port: int, half: bytes) -> None:
    opened = entrance(port, "one", request_s=0.3)
    await opened.open()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(half)
    answer = await asyncio.wait_for(reader.read(), 20)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"request_timeout" in answer
    assert answer.count(b"HTTP/1.1") == 1
    writer.close()
    await opened.close()


async def test_a_second_half_sent_request_on_a_connection_ends_too_and_one_that_says_nothing_silently(port: int) -> None:
    opened = entrance(port, "one", request_s=0.3)
    await opened.open()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    assert (await reader.readuntil(b"one")).startswith(b"HTTP/1.1 200")
    writer.write(HALF["head"])
    assert (await asyncio.wait_for(reader.read(), 20)).startswith(b"HTTP/1.1 408 ")
    silent, other = await asyncio.open_connection("127.0.0.1", port)
    assert await asyncio.wait_for(silent.read(), 20) == b""
    writer.close()
    other.close()
    await opened.close()


async def test_a_slow_answer_and_a_large_body_are_no_slow_requests(port: int) -> None:
    opened = entrance(port, "late", slow_s=0.6, request_s=0.3)
    await opened.open()
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
        assert (await client.post("/", content=b"x" * 5_000_000)).text == "late"
        assert (await client.get("/")).text == "late"
    await opened.close()


async def test_small_answers_wait_for_no_acknowledgement(port: int) -> None:
    at_once: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def look(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        at_once.set_result(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    async with await asyncio.start_server(look, sock=_listener("127.0.0.1", port)):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        assert await at_once == 1
        writer.close()
