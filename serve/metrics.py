"""Counters and latencies for Prometheus."""

from __future__ import annotations

from typing import NamedTuple

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_SECONDS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60)


class Latency(NamedTuple):
    """How long a route takes, milliseconds: read from the histogram, so exact to its buckets only."""

    route: str
    requests: int
    p50_ms: float
    p95_ms: float


class Metrics:
    """The gateway's own registry: several gateways may live in one process (tests)."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter("laoma_requests", "Requests by route and status", ["route", "status"], registry=self._registry)
        self.latency = Histogram("laoma_request_seconds", "Time to the answer's head", ["route"], buckets=_SECONDS, registry=self._registry)
        self.recalled = Histogram(
            "laoma_recalled_memories", "Memories injected a chat", buckets=(0, 1, 2, 3, 4, 5), registry=self._registry
        )
        self.first_token = Histogram("laoma_first_token_seconds", "Time to the first token", buckets=_SECONDS, registry=self._registry)
        self.shard = Gauge("laoma_shard", "State of a shard", ["shard", "figure"], registry=self._registry)

    def text(self) -> bytes:
        """Prometheus' text format."""
        return generate_latest(self._registry)

    def latencies(self) -> list[Latency]:
        """Each route that was asked, most asked first."""
        buckets: dict[str, list[tuple[float, float]]] = {}
        for family in self.latency.collect():
            for sample in family.samples:
                if sample.name.endswith("_bucket"):
                    buckets.setdefault(sample.labels["route"], []).append((float(sample.labels["le"]), sample.value))
        found = [Latency(route, int(steps[-1][1]), _quantile(steps, 0.5), _quantile(steps, 0.95)) for route, steps in buckets.items()]
        return sorted(found, key=lambda one: -one.requests)


def _quantile(steps: list[tuple[float, float]], share: float) -> float:
    """Milliseconds below which ``share`` of the observations lie; ``steps`` are (upper bound in seconds, how many up to it)."""
    wanted = steps[-1][1] * share
    low, before = 0.0, 0.0
    for bound, count in steps:
        if count >= wanted and count > before:
            high = bound if bound != float("inf") else low
            return 1000 * (low + (high - low) * (wanted - before) / (count - before))
        low, before = bound, count
    return 1000 * low
