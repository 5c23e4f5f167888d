"""How alike two ways to part the same things are."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence


def adjusted_rand(a: Sequence[Hashable], b: Sequence[Hashable]) -> float:
    """Adjusted Rand index (Hubert and Arabie 1985): 1 for the same parts, 0 on average for parts by chance."""
    both = _pairs(Counter(zip(a, b, strict=True)))
    of_a, of_b, all_ = _pairs(Counter(a)), _pairs(Counter(b)), math.comb(len(a), 2)
    by_chance = of_a * of_b / all_ if all_ else 0.0
    most = (of_a + of_b) / 2
    return (both - by_chance) / (most - by_chance) if most != by_chance else 1.0


def mutual_information(a: Sequence[Hashable], b: Sequence[Hashable]) -> float:
    """Mutual information by the mean of both entropies: 0 to 1."""
    n, of_a, of_b = len(a), Counter(a), Counter(b)
    shared = sum(count / n * math.log(count * n / (of_a[x] * of_b[y])) for (x, y), count in Counter(zip(a, b, strict=True)).items())
    mean = (_entropy(of_a, n) + _entropy(of_b, n)) / 2
    return shared / mean if mean else 1.0


def _pairs(counts: Counter[Hashable]) -> int:
    return sum(math.comb(count, 2) for count in counts.values())


def _entropy(counts: Counter[Hashable], n: int) -> float:
    return -sum(count / n * math.log(count / n) for count in counts.values())
