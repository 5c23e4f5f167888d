"""Counters and latencies for Prometheus."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_SECONDS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60)


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
