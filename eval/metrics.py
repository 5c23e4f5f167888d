"""Measures of a ranking. ``ranked`` are ids, best first; ``relevant`` those that answer (never empty)."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence


def hit_at(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """1 where any relevant one is among the first ``k``, else 0."""
    return float(any(one in relevant for one in ranked[:k]))


def recall_at(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Share of the relevant ones among the first ``k``."""
    return sum(one in relevant for one in ranked[:k]) / len(relevant)


def ndcg_at(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Normalised discounted cumulative gain of the first ``k``, each relevant one counting 1."""
    gain = sum(1 / math.log2(place + 2) for place, one in enumerate(ranked[:k]) if one in relevant)
    return gain / sum(1 / math.log2(place + 2) for place in range(min(k, len(relevant))))


def mean(values: Sequence[float]) -> float:
    """The mean; 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def means(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each measure over rows that all have the same ones."""
    return {name: mean([row[name] for row in rows]) for name in (rows[0] if rows else {})}
