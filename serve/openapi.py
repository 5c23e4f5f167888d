"""The OpenAPI document: what the routes declare, less what is never sent, plus the answers that FastAPI cannot see."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

_ANSWER_HEADERS = {
    "X-Laoma-Conversation": "the conversation the exchange belongs to (percent-encoded)",
    "X-Laoma-Turn": "id of the reply's turn",
    "X-Laoma-Recalled": "ids of the recalled memories in the prompt, separated by commas",
}
_COMPLETION = {
    "description": "OpenAI's chat completion, or its chunks as server-sent events with `stream: true`",
    "headers": {name: {"description": text, "schema": {"type": "string"}} for name, text in _ANSWER_HEADERS.items()},
    "content": {
        "application/json": {"schema": {"type": "object", "additionalProperties": True}},
        "text/event-stream": {"schema": {"type": "string"}},
    },
}
_UPLOAD = "Body_submit_v1_imports_post"
"""FastAPI's name of the one form; its fields can't carry an example of the whole."""
_TEXTS = {
    ("/v1/export", "get"): {"application/x-ndjson": {"schema": {"type": "string"}}},
    ("/metrics", "get"): {"text/plain": {"schema": {"type": "string"}}},
}


def complete(app: FastAPI) -> dict[str, Any]:
    """The document, made once."""
    if app.openapi_schema is None:
        document = FastAPI.openapi(app)
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                operation["responses"].pop("422", None)  # malformed requests are answered with 400
                if (path, method) in _TEXTS:
                    operation["responses"]["200"]["content"] = _TEXTS[path, method]
        document["paths"]["/v1/chat/completions"]["post"]["responses"]["200"] = _COMPLETION
        for name in ("HTTPValidationError", "ValidationError"):
            document["components"]["schemas"].pop(name, None)
        document["components"]["schemas"][_UPLOAD]["examples"] = [{"files": ["conversations.json"], "dry_run": True, "wait": True}]
        app.openapi_schema = document
    return app.openapi_schema
