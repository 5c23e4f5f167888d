"""How much a statement is worth keeping (R7): ten points each, twenty to stay."""

from __future__ import annotations

STAYS_FROM = 20
"""Below this a statement lives only in its conversation (R7)."""
RESTATED = 10
"""Each restatement adds this, up to 100 (R7)."""


def importance(
    *, personal: bool, reusable: bool, explicit: bool, asks: bool = False, correction: bool = False, timebound: bool = False
) -> int:
    """Points 0-50 of a first statement (R7); repetition is added when it is said again."""
    return max(0, 10 * (personal + reusable + explicit + asks + correction - timebound))


def restated(points: int) -> int:
    """Importance after one more restatement (R7)."""
    return min(100, points + RESTATED)
