"""A line answers many calls at a time, and every caller hears how its call ended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from schemas.errors import NotFound, TooMany
from serve.line import Answering, Line, LineFault, LineServer, NobodyListens

BUSY = TooMany("busy", retry_after=1)


@asynccontextmanager
async def connected(path: Path, answer: Answering, *, limit: int = 100) -> AsyncIterator[tuple[LineServer, Line]]:
    server, line = LineServer(answer, limit=limit, refusal=BUSY), Line(path)
    await server.open(path)
    try:
        yield server, line
    finally:
        await line.close()
        await server.close(1)


async def echo(name: str, args: tuple[object, ...], kwargs: dict[str, object]) -> object:
    return name, args, kwargs


async def test_each_of_many_calls_gets_its_own_answer_though_they_end_in_another_order(tmp_path: Path) -> None:
    async def slow_first(name: str, args: tuple[object, ...], kwargs: dict[str, object]) -> object:
        await asyncio.sleep(0.05 if args == (0,) else 0)
        return args[0]

    async with connected(tmp_path / "s", slow_first) as (_, line):
        assert await asyncio.gather(*(line.call("f", (number,), {}) for number in range(50))) == list(range(50))


async def test_a_large_answer_comes_whole(tmp_path: Path) -> None:
    async with connected(tmp_path / "s", echo) as (_, line):
        text = "马" * 3_000_000
        assert await line.call("f", (text,), {"k": 1}) == ("f", (text,), {"k": 1})


async def test_nobody_listens_is_told_apart_from_a_line_that_broke(tmp_path: Path) -> None:
    with pytest.raises(NobodyListens):
        await Line(tmp_path / "s").call("f", (), {})

    async def forever(name: str, args: tuple[object, ...], kwargs: dict[str, object]) -> object:
        return await asyncio.Event().wait()

    async with connected(tmp_path / "s", forever) as (server, line):
        call = asyncio.create_task(line.call("f", (), {}))
        await asyncio.sleep(0.05)
        await server.close(0.01)
        with pytest.raises(ConnectionError) as broke:
            await call
        assert not isinstance(broke.value, NobodyListens)


async def test_after_the_other_side_was_replaced_the_next_call_reaches_the_successor(tmp_path: Path) -> None:
    def named(name_of_server: str) -> Answering:
        async def answer(name: str, args: tuple[object, ...], kwargs: dict[str, object]) -> object:
            return name_of_server

        return answer

    async with connected(tmp_path / "s", named("old")) as (old, line):
        assert await line.call("f", (), {}) == "old"
        new = LineServer(named("new"), limit=10, refusal=BUSY)
        await new.open(tmp_path / "s")
        await old.close(0.1)
        await asyncio.sleep(0.05)
        assert await line.call("f", (), {}) == "new"
        await line.close()
        await new.close(1)


@pytest.mark.parametrize("answer", [lambda: 1 / 0, lambda: lambda: None], ids=["a bug", "an answer that cannot travel"])
async def test_a_failure_of_the_other_side_is_told_and_the_line_goes_on(tmp_path: Path, answer: Callable[[], object]) -> None:
    async def failing(name: str, args: tuple[object, ...], kwargs: dict[str, object]) -> object:
        return answer() if name == "bad" else "fine"

    async with connected(tmp_path / "s", failing) as (_, line):
        with pytest.raises(LineFault):
            await line.call("bad", (), {})
        assert await line.call("good", (), {}) == "fine"


async def test_a_refusal_of_ours_keeps_its_class_and_fields(tmp_path: Path) -> None:
    async def refusing(name: str, args: tuple[object, ...], kwargs: dict[str, object]) -> object:
        return NotFound("No such turn.", param="turn")

    async with connected(tmp_path / "s", refusing) as (_, line):
        answer = await line.call("f", (), {})
        assert isinstance(answer, NotFound)
        assert answer.param == "turn"


async def test_beyond_its_limit_it_says_busy_at_once(tmp_path: Path) -> None:
    go = asyncio.Event()

    async def waits(name: str, args: tuple[object, ...], kwargs: dict[str, object]) -> object:
        await go.wait()
        return "done"

    async with connected(tmp_path / "s", waits, limit=2) as (_, line):
        calls = [asyncio.create_task(line.call("f", (), {})) for _ in range(2)]
        await asyncio.sleep(0.05)
        assert isinstance(await line.call("f", (), {}), TooMany)
        go.set()
        assert await asyncio.gather(*calls) == ["done", "done"]


async def test_a_caller_that_goes_away_does_not_disturb_the_others(tmp_path: Path) -> None:
    async with connected(tmp_path / "s", echo) as (_, line):
        gone = asyncio.create_task(line.call("a", (), {}))
        await asyncio.sleep(0)
        gone.cancel()
        assert await line.call("b", (), {}) == ("b", (), {})


async def test_only_the_owner_may_connect(tmp_path: Path) -> None:
    async with connected(tmp_path / "s", echo):
        assert (tmp_path / "s").stat().st_mode & 0o777 == 0o600
