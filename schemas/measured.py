"""What evaluations and benchmarks leave in the logs: one row a figure."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from schemas.record import Moment


class EvalFigure(BaseModel):
    """One measure of one run of a suite over ``n`` cases; ``part`` is the group it was taken over, "" all of them.

    ``run`` is shared by all that was measured together; ``embedder`` names the model, ``version`` is laoma's own.
    """

    model_config = ConfigDict(frozen=True)

    run: str
    at: Moment
    suite: str
    n: int
    part: str
    measure: str
    value: float
    embedder: str
    version: str


class BenchFigure(BaseModel):
    """The times of one contender at one size: ``rounds`` of them, median, 95th percentile and least, milliseconds.

    ``beside`` are the contenders that took turns with it, in order; ``machine`` says in words what it ran on.
    """

    model_config = ConfigDict(frozen=True)

    run: str
    at: Moment
    bench: str
    case: str
    size: int
    contender: str
    rounds: int
    p50_ms: float
    p95_ms: float
    least_ms: float
    beside: list[str]
    machine: str
    version: str
