"""How relevant a memory is to a question: nine numbers and a small logistic model (R23).

No raw cosine tells relevant from irrelevant: what counts is how a memory stands out among the user's others, and whether the question
is one about the user's own life at all.
"""

from __future__ import annotations

from functools import lru_cache
from statistics import NormalDist

import numpy as np

from memory.calibration import FEATURES, Calibration
from memory.ports import Floats

_NORMAL = NormalDist()
_PRIOR_ROWS = 20.0
"""Unrelated pairs that the calibration's spread stands for, while a user has few memories."""


def features(calibration: Calibration, dense: Floats, pool: Floats, coverage: Floats, query: Floats, form: float) -> Floats:
    """The features of each candidate, shape (m, 9), in the order of ``FEATURES``.

    ``dense`` are the centred cosines of all eligible memories, shape (n,); ``pool`` and ``coverage`` those of the m candidates;
    ``query`` is the centred question, shape (dim,); ``form`` what its words say (:func:`memory.question_form.own_form`).

    dense: the centred cosine. standing: by how many spreads it lies over the user's other memories. margin: its distance below the
    best (0), or, for the best, above the next. coverage: share of the question's words it holds. personal: log-odds that the
    question is about the user's own life, by its meaning. form: the same by its words.
    …_world: the three once more where the words ask about the world, since there a shared topic proves less.
    """
    n = len(dense)
    mean = (float(dense.sum()) + _PRIOR_ROWS * calibration.standing_mean) / (n + _PRIOR_ROWS)
    gap = dense - np.float32(mean)
    spread = np.sqrt((float(gap @ gap) + _PRIOR_ROWS * calibration.standing_spread**2) / (n + _PRIOR_ROWS))
    out = np.empty((len(pool), len(FEATURES)), dtype=np.float32)
    out[:, 0] = pool
    out[:, 1] = (pool - mean) / spread - chance_best(n)
    out[:, 2] = _margins(pool)
    out[:, 3] = coverage
    out[:, 4] = calibration.personality(query)
    out[:, 5] = form
    out[:, 6:] = out[:, 1:4] if form < 0 else 0.0
    return out


def relevance(calibration: Calibration, table: Floats) -> Floats:
    """Relevance in [0, 1] of each row of :func:`features`, shape (m,); 0.5 is the calibrated threshold."""
    odds = table @ calibration.weights + np.float32(calibration.bias)
    return np.asarray(1.0 / (1.0 + np.exp(-odds)), dtype=np.float32)


@lru_cache(maxsize=4096)
def chance_best(n: int) -> float:
    """How many spreads the best of ``n`` unrelated memories lies over their mean, by chance (Blom's estimate)."""
    return _NORMAL.inv_cdf((n - 0.375) / (n + 0.25))


def _margins(pool: Floats) -> Floats:
    best = int(np.argmax(pool))
    margins = pool - pool[best]
    if len(pool) > 1:
        margins[best] = -np.partition(margins, len(pool) - 2)[len(pool) - 2]
    return np.asarray(margins, dtype=np.float32)
