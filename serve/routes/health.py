"""Is it up, is it ready, what are its figures."""

from __future__ import annotations

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse

from schemas.errors import LaomaError
from schemas.status import Health, Readiness, ShardReadiness
from serve.auth import PartsDep
from serve.parts import Parts
from serve.shard.service import ShardService

router = APIRouter(tags=["health"])


@router.get("/healthz", summary="Is the gateway up")
async def healthz() -> Health:
    """Asks nothing of any other part."""
    return Health()


@router.get("/readyz", summary="Is memory ready, and the model", responses={200: {"model": Readiness}, 503: {"model": Readiness}})
async def readyz(parts: PartsDep) -> JSONResponse:
    """200 once memory answers; the model may still be loading (`model.state`)."""
    readiness = await _readiness(parts)
    return JSONResponse(readiness.model_dump(mode="json"), 200 if readiness.ready else 503)


@router.get("/metrics", summary="Figures for Prometheus", response_class=Response)
async def metrics(parts: PartsDep) -> Response:
    """Requests, latencies, injected memories, state of the shards."""
    readiness = await _readiness(parts)
    for number, shard in enumerate(readiness.shards):
        for figure, value in shard.figures.items():
            parts.metrics.shard.labels(str(number), figure).set(value)
    return Response(parts.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")


async def _readiness(parts: Parts) -> Readiness:
    model = await parts.chat.ready()
    try:
        figures = await parts.shards.each(ShardService.figures)
    except LaomaError as error:
        return Readiness(ready=False, model=model, shards=[], detail=error.message)
    shards = [ShardReadiness(figures=one) for one in figures]
    return Readiness(ready=True, model=model, shards=shards, detail=None)
