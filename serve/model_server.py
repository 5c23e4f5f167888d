"""``LLMServer`` that takes and gives plain JSON values, so that its callers need none of vLLM's types (600 MB to import)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from ray.serve.llm.deployment import LLMServer


class ModelServer(LLMServer):
    """Runs in the model's replica alone."""

    async def _start_engine(self) -> None:
        """As the base class does, but without the telemetry agent: nothing is reported from a home, and it takes 220 MB."""
        engine: Any = self.engine
        await engine.start()

    async def answer(self, body: dict[str, Any]) -> AsyncIterator[str | dict[str, Any]]:
        """Streams the text of an event stream, or gives one completion; a refusal comes as ``{"error": {…, "code": status}}``."""
        from pydantic import ValidationError
        from ray.serve.llm.openai_api_models import ChatCompletionRequest

        try:
            request = ChatCompletionRequest(**body)
        except ValidationError as error:
            yield _refusal(error.errors()[0])
            return
        async for piece in await self.chat(request):
            for one in piece if isinstance(piece, list) else [piece]:
                yield one if isinstance(one, str) else one.model_dump(mode="json", exclude_none=True)


def _refusal(first: Any) -> dict[str, Any]:
    where = ".".join(str(part) for part in first["loc"])
    message = f"{where}: {first['msg']}" if where else str(first["msg"])
    return {"error": {"message": message[:300], "type": "invalid_request_error", "code": 400, "param": where or None}}
