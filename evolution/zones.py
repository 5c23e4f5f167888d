"""Where a proposed revision lies (E6), whether it is too near to the constitution (E7) or would hurt (E8), and who must agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evolution.constitution import Constitution
from memory.heads import Head, hints, load
from memory.normalise import is_chinese
from memory.ports import Embedder

Zone = Literal["forbidden", "cautious", "free"]
Scope = Literal["global", "scene", "dialogue"]
Consent = Literal["never", "person", "confirm", "none"]
"""Who must agree: nobody can; a person, with the way back; one click after a preview; nobody."""

ZONES: tuple[Zone, ...] = ("forbidden", "cautious", "free")
ZONE_HEAD, RISK_HEAD = "zones", "risks"
RISKS = ("harmless", "harmful")
_FORBIDDEN_SHARE = 0.31
"""From so likely on a proposal counts as forbidden: on held-out examples one in forty of the forbidden ones is below, and of the others
one in ten above (``python -m eval.teach zones``). To miss one is worse than to refuse one too many."""
_RISK_SHARE = 0.43
BREAKER = 0.36
"""Closeness to a sentence of the constitution that suspends a proposal whatever its zone: no harmless example of ours comes so near."""
_NEAREST = 4


@dataclass(frozen=True)
class Verdict:
    """``share`` is how likely forbidden it is; ``nearest`` the constitution's sentence closest to it, at ``closeness`` (cosine, centred);
    ``suspended``: the breaker fell."""

    zone: Zone
    risky: bool
    share: float
    nearest: str
    closeness: float

    @property
    def suspended(self) -> bool:
        """Whether it lies too near to the constitution to be carried on by itself."""
        return self.closeness >= BREAKER

    def consent(self, scope: Scope) -> Consent:
        """Who must agree; where zone and scope disagree, the stricter wins (E5, E6)."""
        if self.zone == "forbidden" or self.risky or self.suspended:
            return "never"
        if scope == "global":
            return "person"
        if self.zone == "cautious":
            return "person" if scope == "scene" else "confirm"
        return "confirm" if scope == "scene" else "none"


def judge(proposals: Sequence[str], constitution: Constitution, embedder: Embedder) -> list[Verdict]:
    """One verdict a proposal. Without heads for this embedder everything is cautious and risky: nothing changes by itself then."""
    zones, risks = load("evolution", ZONE_HEAD, embedder.name), load("evolution", RISK_HEAD, embedder.name)
    if not proposals:
        return []
    if zones is None or risks is None:
        return [Verdict("cautious", True, 1.0, constitution.id_of(0), 0.0) for _ in proposals]
    features, near = table(proposals, constitution, embedder, zones)
    shares, harm = zones.shares(features), risks.shares(features)[:, RISKS.index("harmful")]
    found = []
    for row, risk, close in zip(shares, harm, near, strict=True):
        zone = ZONES[0] if row[0] >= _FORBIDDEN_SHARE else ZONES[1 + int(row[1:].argmax())]
        place = int(close.argmax())
        found.append(
            Verdict(zone, zone == "forbidden" or bool(risk >= _RISK_SHARE), float(row[0]), constitution.id_of(place), float(close[place]))
        )
    return found


def table(
    proposals: Sequence[str], constitution: Constitution, embedder: Embedder, head: Head
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Features of the heads, shape (n, features), and the closeness to each text of the constitution, shape (n, texts)."""
    own = head.centred(np.asarray(embedder.query(list(proposals)), dtype=np.float64), _chinese(proposals))
    sentences = np.asarray(embedder.passage(constitution.texts), dtype=np.float64)
    chinese = _chinese(constitution.texts)
    means = np.stack([sentences[chinese == one].mean(0) for one in (False, True)])
    moved = sentences - means[chinese.astype(np.intp)]
    close = own @ (moved / np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-6)).T
    best = np.sort(close, axis=1)[:, ::-1]
    said = np.array([[1.5 * bool(hint.search(text)) for hint in hints("evolution", "zones").values()] for text in proposals])
    return np.hstack([3.0 * own, 3.0 * best[:, :1], 3.0 * best[:, :_NEAREST].mean(1, keepdims=True), said]), close


def _chinese(texts: Sequence[str]) -> NDArray[np.bool_]:
    return np.array([is_chinese(text) for text in texts])
