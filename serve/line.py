"""A line between two processes of one machine: calls and their answers over a Unix socket, many at a time.

A call through a Ray Serve handle costs 5-10 ms of a small box (a router, two event loops, gRPC), one over a line a fraction of a
millisecond. Pickles travel, as on Ray's own ports: the socket must lie in a folder that is closed to other users.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import pickle
import struct
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

log = logging.getLogger("laoma.line")
_HEAD = struct.Struct(">IQ")
"""Length of the pickle in bytes, number of the call."""
Answering = Callable[[str, tuple[object, ...], dict[str, object]], Awaitable[object]]


class NobodyListens(ConnectionError):
    """The call was not made: no process listens at the path."""


class LineFault(RuntimeError):
    """The other side met an error that it did not foresee; its log has the trace."""


class LineServer:
    """Answers calls with ``answer(name, args, kwargs)``.

    ``limit``: calls in work at most; what comes beyond is answered with ``refusal``.
    """

    def __init__(self, answer: Answering, *, limit: int, refusal: object) -> None:
        self._answer = answer
        self._limit = limit
        self._refusal = refusal
        self._server: asyncio.Server | None = None
        self._work: set[asyncio.Task[None]] = set()
        self._writers: set[asyncio.StreamWriter] = set()

    async def open(self, path: Path) -> None:
        """Listen at ``path``, in the place of whoever listened there before. Raises OSError."""
        fresh = path.with_name(f"{path.name}.{os.getpid()}")
        fresh.unlink(missing_ok=True)
        self._server = await asyncio.start_unix_server(self._serve, fresh)
        fresh.chmod(0o600)
        fresh.replace(path)

    async def close(self, grace_s: float) -> None:
        """Take no more calls; those in work get ``grace_s`` seconds to be answered."""
        if self._server is None:
            return
        self._server.close()
        if self._work:
            await asyncio.wait(self._work, timeout=grace_s)
        for writer in self._writers:
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            while True:
                number, (name, args, kwargs) = await _read(reader)
                if len(self._work) >= self._limit:
                    _write(writer, number, (True, self._refusal))
                    continue
                task = asyncio.create_task(self._one(writer, number, name, args, kwargs))
                self._work.add(task)
                task.add_done_callback(self._work.discard)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self._writers.discard(writer)
            writer.close()

    async def _one(self, writer: asyncio.StreamWriter, number: int, name: str, args: tuple[object, ...], kwargs: dict[str, object]) -> None:
        with contextlib.suppress(ConnectionError):
            try:
                _write(writer, number, (True, await self._answer(name, args, kwargs)))
            except Exception as error:
                log.exception("call %s failed", name)
                _write(writer, number, (False, f"{type(error).__name__}: {error}"))
            await writer.drain()


class Line:
    """The caller's end: one connection, opened at the first call and anew after it broke."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._opening = asyncio.Lock()
        self._writer: asyncio.StreamWriter | None = None
        self._listening: asyncio.Task[None] | None = None
        self._waiting: dict[int, asyncio.Future[object]] = {}
        self._number = 0

    async def call(self, name: str, args: tuple[object, ...], kwargs: dict[str, object]) -> object:
        """What the other side answers. Raises NobodyListens where the call was not made, ConnectionError where the connection broke
        before the answer (the call may have been done), LineFault where the other side failed."""
        async with self._opening:
            if self._writer is None:
                await self._open()
            assert self._writer is not None
            writer = self._writer
            self._number += 1
            number = self._number
            answer: asyncio.Future[object] = asyncio.get_running_loop().create_future()
            self._waiting[number] = answer
            try:
                _write(writer, number, (name, args, kwargs))
            except BaseException:
                del self._waiting[number]
                raise
        try:
            await writer.drain()
            return await answer
        finally:
            self._waiting.pop(number, None)
            if answer.done() and not answer.cancelled():
                answer.exception()  # heard, also where the write failed first

    async def close(self) -> None:
        """Hang up; who waits gets ConnectionError."""
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.wait([self._listening])

    async def _open(self) -> None:
        try:
            reader, self._writer = await asyncio.open_unix_connection(self._path)
        except OSError as error:
            raise NobodyListens(f"nobody listens at {self._path}") from error
        self._listening = asyncio.create_task(self._listen(reader, self._writer))

    async def _listen(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                number, (fine, value) = await _read(reader)
                waiting = self._waiting.pop(number, None)
                if waiting is None or waiting.done():
                    continue  # the caller went away
                if fine:
                    waiting.set_result(value)
                else:
                    waiting.set_exception(LineFault(value))
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self._writer = None
            writer.close()
            for waiting in self._waiting.values():
                if not waiting.done():
                    waiting.set_exception(ConnectionError("the line broke"))


def _write(writer: asyncio.StreamWriter, number: int, message: object) -> None:
    body = pickle.dumps(message, protocol=5)
    writer.write(_HEAD.pack(len(body), number) + body)


async def _read(reader: asyncio.StreamReader) -> tuple[int, Any]:
    length, number = _HEAD.unpack(await reader.readexactly(_HEAD.size))
    return number, pickle.loads(await reader.readexactly(length))  # the folder is closed to other users
