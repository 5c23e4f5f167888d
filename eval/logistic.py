"""Logistic regression by Newton's method: small, exact, the same from run to run."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]


def fit(table: Doubles, labels: Doubles, *, weights: Doubles | None = None, l2: float = 1.0, steps: int = 50) -> Doubles:
    """Coefficients of shape (features + 1,), the bias last and not shrunk. ``table`` (n, features), ``labels`` 0 or 1 (n,)."""
    x = np.hstack([table, np.ones((len(table), 1))])
    importance = np.ones(len(x)) if weights is None else weights
    ridge = np.full(x.shape[1], l2)
    ridge[-1] = 1e-6
    found = np.zeros(x.shape[1])
    for _ in range(steps):
        share = probability(x @ found)
        slope = x.T @ (importance * (share - labels)) + ridge * found
        curve = (x * (importance * share * (1 - share))[:, None]).T @ x + np.diag(ridge)
        step = np.linalg.solve(curve, slope)
        found -= step
        if float(np.abs(step).max()) < 1e-8:
            break
    return found


def probability(odds: Doubles) -> Doubles:
    """Log-odds as probabilities."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(odds, -30, 30))))
