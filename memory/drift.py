"""A memory that was changed several times is compared with what was said; where its meaning has moved, it goes back (R13)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

import numpy as np

from memory.calibration import Calibration
from memory.extract.split import sentences
from memory.life import Step
from memory.ports import Embedder
from schemas.memory import Memory
from schemas.settings import Life
from schemas.turn import Turn

Closeness = Callable[[str, Sequence[str]], float]
"""How near a text is to the nearest of some others, centred cosine; -1 for none."""


def closeness(embedder: Embedder, calibration: Calibration) -> Closeness:
    """By the vectors of an embedder (blocking)."""

    def nearest(text: str, others: Sequence[str]) -> float:
        if not others:
            return -1.0
        texts = [text, *others]
        vectors = calibration.passages(embedder.passage(texts), texts)
        return float(np.max(vectors[1:] @ vectors[0]))

    return nearest


def needs_look(memory: Memory, life: Life) -> bool:
    """Whether a memory was changed often enough to be compared with its source."""
    return memory.status == "active" and memory.version >= life.drift_versions and bool(memory.turns)


def checked(memory: Memory, source: Sequence[Turn], nearest: Closeness, at: datetime, life: Life) -> Step | None:
    """What the comparison says: nothing where the meaning stands or no source is left; else back to the text before, where that is nearer
    to what was said; else less confidence, so that it is worded with doubt. ``source``: the user's turns that the memory names."""
    said = [span.text for turn in source if turn.role == "user" for span in sentences(turn.content)]
    if not said:
        return None
    now = nearest(memory.text, said)
    if now >= life.drift_closeness:
        return None
    before = nearest(memory.previous, said) if memory.previous else -1.0
    if memory.previous and before >= max(life.drift_closeness, now):
        row = memory.but(text=memory.previous, previous=memory.text, version=memory.version + 1, updated_at=at, vector=None, embedder=None)
        return Step(row, "restore", f"it had moved away from what was said ({now:.2f}); the text before is nearer ({before:.2f})")
    row = memory.but(confidence=round(memory.confidence * life.lapsed_share, 4), updated_at=at, version=1)
    return Step(row, "demote", f"it has moved away from what was said ({now:.2f}): confidence {memory.confidence:g} → {row.confidence:g}")
