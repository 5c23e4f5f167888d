"""The same question in other words (E12): who asks again was not helped."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_SAME = 0.66
"""Cosine of centred questions: lower finds more repeats, higher fewer wrong ones (docs/review.md has the figures)."""
_LOOKED_BACK = 500


def repeated(points: NDArray[np.float64], users: Sequence[str]) -> list[int | None]:
    """For each question the nearest earlier one of the same user that it says again, or None.

    Rows are in order of time and of one topic; ``points`` has shape (n, dim), see :func:`evolution.topics.centred`. At most the 500
    questions of a user before one are looked at.
    """
    found: list[int | None] = []
    before: dict[str, list[int]] = {}
    for row, user in enumerate(users):
        rows = before.setdefault(user, [])
        near = points[rows[-_LOOKED_BACK:]] @ points[row] if rows else np.zeros(0)
        best = int(near.argmax()) if len(near) else 0
        found.append(rows[-_LOOKED_BACK:][best] if len(near) and near[best] >= _SAME else None)
        rows.append(row)
    return found
