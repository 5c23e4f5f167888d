"""The port to the shards: which one owns a user, and how a call reaches it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, cast

from schemas.errors import LaomaError, TooMany, Unavailable
from serve.absence import Absence
from serve.line import Line, NobodyListens
from serve.shard.once import ONCE
from serve.shard.service import ShardService

_PAUSE_S = 0.3
P = ParamSpec("P")
T = TypeVar("T")
EachMethod = Callable[Concatenate[ShardService, P], Coroutine[Any, Any, T]]
ShardMethod = Callable[Concatenate[ShardService, str, P], Coroutine[Any, Any, T]]


class Shards(Protocol):
    """Calls a method of the shard that owns ``user``: ``await shards.call(ShardService.recall, user, request)``."""

    async def call(self, method: ShardMethod[P, T], user: str, *args: P.args, **kwargs: P.kwargs) -> T:
        """The method's answer. Raises what it raises; Unavailable when the shard can't be reached."""
        ...

    async def each(self, method: EachMethod[P, T], *args: P.args, **kwargs: P.kwargs) -> list[T]:
        """Call a method that concerns no single user on every shard; answers in shard order."""
        ...


class LocalShard:
    """A shard in this process: for tests and evaluation."""

    def __init__(self, service: ShardService) -> None:
        self._service = service

    async def call(self, method: ShardMethod[P, T], user: str, *args: P.args, **kwargs: P.kwargs) -> T:
        """See :class:`Shards`."""
        return await self._service.answer(method(self._service, user, *args, **kwargs))

    async def each(self, method: EachMethod[P, T], *args: P.args, **kwargs: P.kwargs) -> list[T]:
        """See :class:`Shards`."""
        return [await method(self._service, *args, **kwargs)]


class Handle(Protocol):
    """What is used of a Serve deployment handle to a ``MemoryShard``."""

    @property
    def deployment_name(self) -> str:
        """Its name in the application."""
        ...

    @property
    def perform(self) -> Any:
        """The remote method ``perform(name, args, kwargs)``."""
        ...


class RemoteShards:
    """The shards on the cluster: over a line where the shard is on this machine, else by its Serve handle.

    A call that met a dying replica is made again after a pause, ``patience`` times in all and then by the handle, which knows the
    replica's successor. Where calling twice is the same as once (a caller's ids are stored once), that is all; a method of
    :data:`serve.shard.once.ONCE` is called again only while it is certain that it was not carried out.

    ``sockets``: where each shard listens, if it is on this machine. ``absence``: a handle waits for ever where no replica comes up
    (a table that can't be opened), the call does not.
    """

    def __init__(
        self,
        handles: Sequence[Handle],
        shard_of: Callable[[str, int], int],
        *,
        absence: Absence,
        sockets: Sequence[Path] = (),
        patience: int = 3,
    ) -> None:
        self._handles = handles
        self._shard_of = shard_of
        self._absence = absence
        self._patience = patience
        self._lines = [Line(socket) for socket in sockets]

    async def call(self, method: ShardMethod[P, T], user: str, *args: P.args, **kwargs: P.kwargs) -> T:
        """See :class:`Shards`."""
        shard = self._shard_of(user, len(self._handles))
        return cast(T, await self._perform(shard, method.__name__, (user, *args), kwargs))

    async def each(self, method: EachMethod[P, T], *args: P.args, **kwargs: P.kwargs) -> list[T]:
        """See :class:`Shards`."""
        return [cast(T, await self._perform(shard, method.__name__, args, kwargs)) for shard in range(len(self._handles))]

    async def _perform(self, shard: int, name: str, args: tuple[object, ...], kwargs: dict[str, Any]) -> object:
        from ray.exceptions import RayActorError
        from ray.serve.exceptions import BackPressureError, DeploymentUnavailableError, RayServeException

        for attempt in range(1, self._patience + 1):
            try:
                answer = await self._ask(shard, name, args, kwargs, by_line=attempt == 1)
            except BackPressureError:
                raise TooMany("The memory is busy: try again in a second.", retry_after=1) from None
            except (RayActorError, RayServeException, ConnectionError) as error:
                if name in ONCE and not isinstance(error, DeploymentUnavailableError):
                    raise _unknown() from error
                if attempt == self._patience:
                    raise Unavailable("The memory is restarting: try again in a few seconds.", retry_after=3) from error
            else:
                if isinstance(answer, LaomaError):
                    if answer.code != "fenced" or attempt == self._patience:
                        raise answer
                else:
                    return answer
            await asyncio.sleep(_PAUSE_S * attempt)
        raise AssertionError("unreachable")

    async def _ask(self, shard: int, name: str, args: tuple[object, ...], kwargs: dict[str, Any], *, by_line: bool) -> object:
        if by_line and self._lines:
            try:
                return await self._lines[shard].call(name, args, kwargs)
            except NobodyListens:
                pass  # on another machine, or not started yet: the handle waits for it
        handle = self._handles[shard]
        return await self._absence.bounded(handle.deployment_name, handle.perform.remote(name, args, kwargs))


def _unknown() -> Unavailable:
    return Unavailable(
        "The memory was restarted while this was under way: look whether it is done before you ask for it again.", code="outcome_unknown"
    )
