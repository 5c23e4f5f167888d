"""A week of questions falls into topics (E12): vectors and texts in, topics out.

Questions that are near to each other are joined in a graph, and its communities (Louvain) are the topics. Measured beside HDBSCAN in
docs/review.md: density finds a third of the questions to be noise where the graph keeps topics whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from memory.heads import load
from memory.normalise import fold, is_chinese

Doubles = NDArray[np.float64]
Labels = NDArray[np.intp]

NOISE = -1
_DIMS = 48
"""Directions that are kept of a week, enough for all its topics: what is left out is mostly how a thing was said."""
_WEIGHT_OF_OLD = 10.0
"""The general mean of a language counts as so many questions beside the week's own: a week about one thing is not centred away."""
_NEIGHBOURS = (5, 15)
_PER_NEIGHBOUR = 8
_RESOLUTION = 1.5
_SEED = 20
_LEAST = 3
_LEAST_SHARE = 0.025
_LEAST_MOST = 30
"""A topic has at least so many questions: that share of all, within these bounds."""
_BELONGS = 0.15
"""Cosine to the rest of its topic below which a question belongs to none."""
_GRAPH = 20_000
"""Of more different questions so many, evenly taken, form the topics; the others go to the nearest."""
_BLOCK = 1_000


@dataclass(frozen=True)
class Topic:
    """``members`` are rows, the most typical first; ``centroid`` (dim,) has length 1 and is comparable from week to week."""

    members: tuple[int, ...]
    centroid: Doubles


def find(texts: Sequence[str], vectors: NDArray[np.floating], embedder: str) -> list[Topic]:
    """Topics, the largest first; ``vectors`` has shape (n, dim), query side. What is in none of them is noise.

    The same questions always give the same topics. Equal texts count as often as they occur but weigh once.
    """
    if len(texts) != len(vectors):
        raise ValueError(f"{len(texts)} texts and {len(vectors)} vectors")
    if not len(texts):
        return []
    spread = centred(texts, vectors, embedder, of_old=_WEIGHT_OF_OLD)
    first: dict[str, int] = {}
    of = np.array([first.setdefault(fold(text) or text, row) for row, text in enumerate(texts)])
    kept, owner, counts = np.unique(of, return_inverse=True, return_counts=True)
    labels = _labels(_reduced(spread[kept]), counts)[owner]
    steady = centred(texts, vectors, embedder)
    found = []
    for label in range(int(labels.max(initial=NOISE)) + 1):
        rows = np.flatnonzero(labels == label)
        typical = spread[rows] @ _unit(spread[rows].mean(0))
        found.append(Topic(tuple(rows[np.argsort(-typical, kind="stable")].tolist()), _unit(steady[rows].mean(0))))
    return sorted(found, key=lambda topic: (-len(topic.members), topic.members))


def labels_of(topics: Sequence[Topic], count: int) -> Labels:
    """The topic's place for each of ``count`` rows; :data:`NOISE` where there is none."""
    labels = np.full(count, NOISE, dtype=np.intp)
    for place, topic in enumerate(topics):
        labels[list(topic.members)] = place
    return labels


def continued(topics: Sequence[Topic], before: Sequence[tuple[str, Doubles]], least: float = 0.7) -> list[str | None]:
    """For each topic the id of last week's that it goes on with: the nearest pairs first, each taken once, of a cosine of ``least``."""
    found: list[str | None] = [None] * len(topics)
    if not topics or not before:
        return found
    near = np.array([topic.centroid for topic in topics]) @ np.array([centroid for _, centroid in before]).T
    taken: set[int] = set()
    for place in np.argsort(-near, axis=None, kind="stable").tolist():
        new, old = divmod(place, len(before))
        if near[new, old] < least:
            break
        if found[new] is None and old not in taken:
            found[new] = before[old][0]
            taken.add(old)
    return found


def centred(texts: Sequence[str], vectors: NDArray[np.floating], embedder: str, of_old: float = float("inf")) -> Doubles:
    """The vectors less the mean of their language, of length 1: so that both languages lie in one place.

    ``of_old`` is how many questions the embedder's general mean counts as beside these; infinite: it alone (where it is known).
    """
    chinese = np.array([is_chinese(text) for text in texts], dtype=bool)
    head = load("evolution", "signals", embedder)
    moved = np.asarray(vectors, dtype=np.float64).copy()
    for language in (False, True):
        rows = chinese == language
        if not rows.any():
            continue
        own = moved[rows].mean(0)
        if head is None:
            moved[rows] -= own if rows.sum() > _LEAST else 0.0
        else:
            share = 1.0 if np.isinf(of_old) else of_old / (of_old + rows.sum())
            moved[rows] -= share * head.means[int(language)] + (1 - share) * own
    return _unit(moved)


def _labels(points: Doubles, counts: NDArray[np.intp]) -> Labels:
    """``points`` (n, dims) stand for ``counts`` questions each."""
    total = int(counts.sum())
    least = max(_LEAST, min(_LEAST_MOST, int(_LEAST_SHARE * total)))
    sample = np.unique(np.linspace(0, len(points) - 1, min(len(points), _GRAPH)).astype(np.intp))
    labels = np.full(len(points), NOISE, dtype=np.intp)
    labels[sample] = _communities(points[sample])
    labels = _large(labels, counts, max(1, least * len(sample) // len(points)))
    if len(sample) < len(points) and labels.max() > NOISE:
        rest = np.setdiff1d(np.arange(len(points)), sample)
        near = points[rest] @ np.array([_unit(points[labels == label].mean(0)) for label in range(labels.max() + 1)]).T
        labels[rest] = np.where(near.max(1) >= _BELONGS, near.argmax(1), NOISE)
    for label in range(labels.max(initial=NOISE) + 1):
        rows = np.flatnonzero(labels == label)
        if len(rows) > 1:
            others = _unit(points[rows].sum(0) - points[rows])
            labels[rows[(others * points[rows]).sum(1) < _BELONGS]] = NOISE
    return _large(labels, counts, least)


def _communities(points: Doubles) -> Labels:
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(len(points)))
    near = min(len(points) - 1, max(_NEIGHBOURS[0], min(_NEIGHBOURS[1], len(points) // _PER_NEIGHBOUR)))
    narrow = points.astype(np.float32)
    for start in range(0, len(points) if near > 0 else 0, _BLOCK):
        likeness = narrow[start : start + _BLOCK] @ narrow.T
        rows = np.arange(len(likeness))
        likeness[rows, start + rows] = -1.0
        best = np.argpartition(-likeness, near - 1, axis=1)[:, :near]
        graph.add_weighted_edges_from(
            (start + int(row), int(other), float(likeness[row, other]))
            for row, others in enumerate(best)
            for other in others
            if likeness[row, other] > 0
        )
    labels = np.full(len(points), NOISE, dtype=np.intp)
    for label, members in enumerate(nx.community.louvain_communities(graph, resolution=_RESOLUTION, seed=_SEED)):
        labels[list(members)] = label
    return labels


def _large(labels: Labels, counts: NDArray[np.intp], least: int) -> Labels:
    """Labels anew from 0; topics of fewer than ``least`` questions are noise."""
    there = [label for label in np.unique(labels) if label != NOISE and counts[labels == label].sum() >= least]
    new = {int(label): place for place, label in enumerate(there)}
    return np.array([new.get(int(label), NOISE) for label in labels], dtype=np.intp)


def _reduced(points: Doubles) -> Doubles:
    """On the directions of greatest spread (SVD)."""
    if len(points) <= 2 * _DIMS or points.shape[1] <= _DIMS:
        return points
    _, axes = np.linalg.eigh(points.T @ points)
    return _unit(points @ axes[:, -_DIMS:])


def _unit(points: Doubles) -> Doubles:
    length = np.linalg.norm(points, axis=-1, keepdims=True)
    return np.asarray(points / np.where(length > 1e-9, length, 1.0))
