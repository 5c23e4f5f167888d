"""Who of the cluster's deployments is away, and why: a call to one that can't come up must not wait for ever."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from schemas.errors import Unavailable

T = TypeVar("T")
_FRESH_S = 1.0
_LOOK_S = 5.0
_EACH_S = 0.5
_RETRY_S = 5
Look = Callable[[], Mapping[str, str | None]]
"""By deployment: None where a replica runs, else Serve's words on why none does. May take a while: it is called in a thread."""


class Absence:
    """Tells a deployment that is being replaced, which is soon back, from one that stays away.

    ``patience_s``: away for less than this counts as soon back, seconds.
    """

    def __init__(self, look: Look, *, patience_s: float = 10.0, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._look, self._patience_s, self._monotonic = look, patience_s, monotonic
        self._looking = asyncio.Lock()
        self._seen: Mapping[str, str | None] = {}
        self._looked = float("-inf")
        self._since: dict[str, float] = {}

    async def bounded(self, name: str, response: Awaitable[T]) -> T:
        """What deployment ``name`` answers. Raises Unavailable where it stays away: Serve's handle alone would wait for ever."""
        asked = asyncio.ensure_future(_awaited(response))
        try:
            while not (await asyncio.wait({asked}, timeout=_EACH_S))[0]:
                why = await self.reason(name)
                if why is not None and not asked.done():
                    raise Unavailable(f"The memory does not answer ({why}): `laoma status` says more.", retry_after=_RETRY_S)
            self.answered(name)
            return asked.result()
        finally:
            asked.cancel()

    async def reason(self, name: str) -> str | None:
        """Why ``name`` stays away; None where it answers or may soon."""
        async with self._looking:
            if self._monotonic() - self._looked > _FRESH_S:
                self._seen = await self._fresh(name)
                self._looked = self._monotonic()
        why = self._seen.get(name, "it is not deployed")
        if why is None:
            self.answered(name)
            return None
        now = self._monotonic()
        return why if now - self._since.setdefault(name, now) >= self._patience_s else None

    def answered(self, name: str) -> None:
        """It is there."""
        self._since.pop(name, None)

    async def _fresh(self, name: str) -> Mapping[str, str | None]:
        try:
            return await asyncio.wait_for(asyncio.to_thread(self._look), _LOOK_S)
        except Exception as error:
            return {name: f"Ray Serve does not say ({type(error).__name__})"}


async def _awaited(response: Awaitable[T]) -> T:
    return await response


def look(app: str) -> Look:
    """Serve's word on the deployments of an application."""

    def seen() -> dict[str, str | None]:
        from ray import serve

        application = serve.status().applications.get(app)
        deployments = application.deployments if application else {}
        return {
            name: None if _runs(one.replica_states) else last_line(one.message) or "it is being started"
            for name, one in deployments.items()
        }

    return seen


def last_line(message: str) -> str:
    """The last line of a traceback says what went wrong."""
    lines = [line.strip() for line in message.strip().splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""


def _runs(states: Mapping[Any, int]) -> bool:
    return any(count > 0 and str(getattr(state, "value", state)) == "RUNNING" for state, count in states.items())
