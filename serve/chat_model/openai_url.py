"""A chat model behind any OpenAI-compatible URL: Ollama, llama.cpp, vLLM, a cloud."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx

from schemas.errors import LaomaError, TooMany, Unavailable, UpstreamFailed
from schemas.settings import Model
from schemas.status import ModelState
from serve.chat_model.normal import normal
from serve.chat_model.protocol import PERSON
from serve.chat_model.sse_lines import chunks, raise_error
from serve.outbound import is_elsewhere

_CONNECT_S = 10.0


class UrlModel:
    """``settings.url`` is the base that ends in ``/v1``. ``priority`` is not sent: foreign servers refuse fields they do not know."""

    def __init__(self, settings: Model, *, key: str | None) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._settings = settings
        self._client = httpx.AsyncClient(
            base_url=str(settings.url).rstrip("/") + "/",
            headers=headers,
            timeout=httpx.Timeout(settings.timeout_s, connect=_CONNECT_S),
            trust_env=is_elsewhere(settings.url),  # a proxy must not see what is said to a model on this machine
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=20),
        )

    async def complete(self, body: dict[str, Any], *, priority: int = PERSON) -> dict[str, Any]:
        """See :class:`~serve.chat_model.protocol.ChatModel`."""
        try:
            answer = await self._client.post("chat/completions", json={**body, "stream": False})
        except httpx.HTTPError as error:
            raise _unreachable(error) from error
        _check(answer, answer.text)
        try:
            completion = answer.json()
        except (ValueError, RecursionError):
            raise UpstreamFailed(f"The model server sent what is no JSON: {answer.text[:80]!r}") from None
        if not isinstance(completion, dict):
            raise UpstreamFailed("The model server sent no completion.")
        raise_error(completion)
        return normal(completion)

    async def stream(self, body: dict[str, Any], *, priority: int = PERSON) -> AsyncIterator[dict[str, Any]]:
        """See :class:`~serve.chat_model.protocol.ChatModel`."""
        try:
            async with self._client.stream("POST", "chat/completions", json={**body, "stream": True}) as answer:
                if answer.is_error:
                    _check(answer, (await answer.aread()).decode("utf-8", "replace"))
                async for chunk in chunks(answer.aiter_bytes()):
                    yield normal(chunk)
        except httpx.HTTPError as error:
            raise _unreachable(error) from error

    async def ready(self) -> ModelState:
        """A server of somebody else counts as ready: whether it answers shows when it is asked."""
        return ModelState(name=self._settings.name, state="ready", detail=f"served at {self._settings.url}")

    async def close(self) -> None:
        """See :class:`~serve.chat_model.protocol.ChatModel`."""
        await self._client.aclose()


def _check(answer: httpx.Response, text: str) -> None:
    if answer.is_success:
        return
    if answer.status_code == 429:
        after = answer.headers.get("Retry-After", "")
        raise TooMany("The model server is busy.", code="upstream_busy", retry_after=int(after) if after.isdigit() else 5)
    if answer.status_code == 503:
        raise Unavailable("The model server is not ready.", code="model_not_ready", retry_after=5)
    refusal = UpstreamFailed(f"The model server answers {answer.status_code}: {_words(answer, text)}")
    if 400 <= answer.status_code < 500 and answer.status_code not in (401, 403, 404, 407):
        refusal.status, refusal.type = 400, "invalid_request_error"  # the client's own request was refused
    raise refusal


def _words(answer: httpx.Response, text: str) -> str:
    try:
        body = answer.json() if answer.is_stream_consumed else {}
        error = body.get("error", body) if isinstance(body, dict) else {}
        message = error.get("message") if isinstance(error, dict) else error
    except ValueError:
        message = None
    return str(message or text)[:300]


def _unreachable(error: httpx.HTTPError) -> LaomaError:
    if isinstance(error, httpx.TimeoutException) and not isinstance(error, httpx.ConnectTimeout):
        return UpstreamFailed("The model server took too long.", code="upstream_timeout")
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        return UpstreamFailed("The model server can't be reached: is it running? See `laoma model list`.", code="upstream_unreachable")
    return UpstreamFailed(f"The model server broke off: {str(error) or type(error).__name__}")
