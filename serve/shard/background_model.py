"""The chat model for work that nobody waits for: asked while no person talks, given up at once when one does (DESIGN §3)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from schemas.errors import Unavailable
from schemas.settings import Model
from serve.chat_model.protocol import BACKGROUND, ChatModel
from serve.outbound import is_elsewhere, masked_body

_LOOK_S = 0.05
_QUIET_S = 30.0
"""Longest wait for a pause in the talk, seconds: in a house that never pauses, background work goes on behind the others."""
_GIVES_WAY = 3
"""So often a call gives way to people; then it runs to its end, at low priority."""


class BackgroundModel:
    """One call at a time. ``busy`` says whether somebody waits for a reply now."""

    def __init__(self, model: ChatModel, settings: Model, busy: Callable[[], bool]) -> None:
        self._model, self._settings, self._busy = model, settings, busy
        self._turn = asyncio.Lock()

    async def ask(self, body: dict[str, Any]) -> str:
        """The words of the answer; what a server gives as reasoning is none of them, thinking is switched off where that is known.

        Raises UpstreamFailed, TooMany, Unavailable (the model still loads, too).
        """
        state = await self._model.ready()
        if state.state != "ready":
            raise Unavailable(f"the model {state.name} is {state.state}")
        body = {**body, "model": self._settings.name}
        if is_elsewhere(self._settings.url):
            body = masked_body(body)
        if self._settings.url is None:
            body["chat_template_kwargs"] = {"enable_thinking": False}
        async with self._turn:
            return _words(await self._in_a_pause(body))

    async def close(self) -> None:
        """Release connections."""
        await self._model.close()

    async def _in_a_pause(self, body: dict[str, Any]) -> dict[str, Any]:
        for _ in range(_GIVES_WAY):
            await self._quiet()
            call = asyncio.ensure_future(self._model.complete(body, priority=BACKGROUND))
            try:
                while not self._busy() or call.done():
                    if (await asyncio.wait({call}, timeout=_LOOK_S))[0]:
                        return call.result()
            finally:
                if not call.done():
                    call.cancel()
                    await asyncio.wait({call})
        await self._quiet()
        return await self._model.complete(body, priority=BACKGROUND)

    async def _quiet(self) -> None:
        waited = 0.0
        while self._busy() and waited < _QUIET_S:
            await asyncio.sleep(_LOOK_S)
            waited += _LOOK_S


def _words(completion: dict[str, Any]) -> str:
    for choice in completion.get("choices") or []:
        content = (choice.get("message") or {}).get("content")
        if isinstance(content, list):
            content = "".join(part.get("text", "") for part in content if isinstance(part, dict) and part.get("type") == "text")
        return content if isinstance(content, str) else ""
    return ""
