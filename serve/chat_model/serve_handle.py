"""The chat model on our own cluster, through the Serve handle of its application (``serve/llm.py``)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

from schemas.cluster import AppStatus
from schemas.errors import InvalidRequest, Unavailable, UpstreamFailed
from schemas.settings import Model
from schemas.status import ModelState
from serve.chat_model.protocol import PERSON
from serve.chat_model.sse_lines import parse
from serve.model_state import MODEL_APP, read_model_state

_LOOK_AGAIN_S = {"ready": 5.0, "loading": 0.5, "failed": 2.0, "disabled": 60.0}


class HandleModel:
    """Speaks plain JSON values with ``ModelServer`` (``serve/llm.py``)."""

    def __init__(self, home: Path, settings: Model) -> None:
        self._home = home
        self._settings = settings
        self._handle: Any = None
        self._state = ModelState(name=settings.name, state="loading")
        self._looked = 0.0

    async def complete(self, body: dict[str, Any], *, priority: int = PERSON) -> dict[str, Any]:
        """See :class:`~serve.chat_model.protocol.ChatModel`."""
        async with aclosing(self._ask({**body, "stream": False, "priority": priority})) as answers:
            async for answer in answers:
                if isinstance(answer, dict):
                    return answer
        raise UpstreamFailed("The model gave no answer.")

    async def stream(self, body: dict[str, Any], *, priority: int = PERSON) -> AsyncIterator[dict[str, Any]]:
        """See :class:`~serve.chat_model.protocol.ChatModel`."""
        async with aclosing(self._ask({**body, "stream": True, "priority": priority})) as events:
            async for event in events:
                for line in str(event).split("\n"):  # not splitlines: U+2028 is text
                    for chunk in parse(line):
                        if chunk is not None:
                            yield chunk

    async def ready(self) -> ModelState:
        """Serve's own word, asked again after a while that depends on the last answer."""
        if time.monotonic() - self._looked > _LOOK_AGAIN_S[self._state.state]:
            self._state = await asyncio.to_thread(self._look)
            self._looked = time.monotonic()
        return self._state

    async def close(self) -> None:
        """See :class:`~serve.chat_model.protocol.ChatModel`."""
        self._handle = None

    async def _ask(self, body: dict[str, Any]) -> AsyncGenerator[Any, None]:
        """What the model server yields; the request there is cancelled when this iterator is closed."""
        from ray.exceptions import RayError
        from ray.serve.exceptions import RayServeException

        answers: Any = None
        try:
            answers = (await self._connected()).answer.remote(body)
            async for answer in answers:
                _refuse(answer)
                yield answer
            answers = None
        except (RayError, RayServeException) as error:
            self._looked = 0.0
            raise UpstreamFailed(f"The model broke off: {str(error).strip().splitlines()[-1][:200]}") from error
        finally:
            if answers is not None:
                answers.cancel()

    async def _connected(self) -> Any:
        if self._handle is None:
            self._handle = await asyncio.to_thread(_handle)
        return self._handle

    def _look(self) -> ModelState:
        from ray import serve

        found = serve.status().applications
        apps = {name: AppStatus(status=str(app.status.value), message=app.message) for name, app in found.items()}
        return read_model_state(self._home, self._settings, apps)


def _handle() -> Any:
    from ray import serve

    application = serve.status().applications.get(MODEL_APP)
    if application is None or not application.deployments:
        raise Unavailable("The model is not there yet.", code="model_not_ready", retry_after=5)
    name = next(iter(application.deployments))
    return serve.get_deployment_handle(name, app_name=MODEL_APP).options(stream=True)


def _refuse(answer: Any) -> None:
    """Raises where the server put an error in the place of an answer."""
    error = answer.get("error") if isinstance(answer, dict) else None
    if not error:
        return
    message = str(error.get("message") or error)[:300]
    if int(error.get("code") or 500) < 500:
        raise InvalidRequest(f"The model refuses: {message}", code="model_refused", param=error.get("param"))
    raise UpstreamFailed(f"The model failed: {message}")
