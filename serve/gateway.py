"""The HTTP entrance: one FastAPI app over the gateway's parts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.routing import Route

from schemas.chat import ErrorResponse
from serve import failures
from serve.cross_origin import CrossOrigin
from serve.limits import BodyLimit, HeadAndOptions
from serve.mcp.entrance import McpEntrance
from serve.measure import Measure
from serve.openapi import complete
from serve.panel import panel
from serve.parts import Parts
from serve.routes import chat, doctor, evolution, health, imports, jobs, memories, models, profile, recall, reference, snapshots, turns

_DESCRIPTION = "An assistant that remembers: OpenAI's chat API with memory, and the memory itself. Errors have OpenAI's shape."
_ERRORS = {status: {"model": ErrorResponse} for status in (400, 401, 403, 404, 409, 429, 500, 502, 503)}


def build_gateway(parts: Parts) -> FastAPI:
    """The app; ``parts`` decides whether shards and model are on the cluster or in this process."""
    mcp = McpEntrance()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        await mcp.close()

    app = FastAPI(
        title="laoma",
        lifespan=lifespan,
        version="0.1.0",
        description=_DESCRIPTION,
        responses=_ERRORS,  # type: ignore[arg-type]
        strict_content_type=False,
        docs_url=None,
        redoc_url=None,
    )
    app.openapi = lambda: complete(app)  # type: ignore[method-assign]
    app.state.parts = parts
    failures.install(app)
    app.add_middleware(Measure, metrics=parts.metrics)
    app.add_middleware(HeadAndOptions)
    app.add_middleware(
        BodyLimit,
        limit=parts.settings.http.body_limit_mb * 1024 * 1024,
        uploads=(("/v1/imports", "/panel/import"), parts.settings.http.import_limit_mb * 1024 * 1024),
    )
    if parts.settings.http.cors_origins:
        app.add_middleware(CrossOrigin, origins=parts.settings.http.cors_origins)
    for topic in (chat, models, turns, recall, memories, profile, evolution, imports, jobs, snapshots, health, doctor, reference):
        app.include_router(topic.router)
    panel.install(app, parts)
    app.router.routes.append(Route("/mcp", mcp))
    return app
