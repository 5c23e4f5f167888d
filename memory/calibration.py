"""What was learnt about one embedder: where its texts lie, and how its numbers become a relevance between 0 and 1 (R23).

The files in ``memory/calibrations`` are built by ``python -m eval.calibrate`` from labelled pairs of this project; an embedder
without a file gets :func:`uncalibrated`, which centres nothing and asks for more before it calls anything relevant.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Any

import numpy as np

from memory.normalise import is_chinese
from memory.ports import Floats

FEATURES = ("dense", "standing", "margin", "coverage", "personal", "form", "standing_world", "margin_world", "coverage_world")
"""What relevance is computed from, in the order of ``weights`` (see :mod:`memory.relevance`)."""


@dataclass(frozen=True)
class Calibration:
    """``passage_means`` and ``query_means`` have shape (2, dim): texts of other scripts, Chinese texts. Each text is centred by the mean
    of its own script: so a Chinese question and an English memory meet, instead of being held apart by their language.

    ``weights`` and ``bias`` are of the logistic model over :data:`FEATURES`; ``personal`` (dim + 1 numbers, the last one the bias) tells
    questions about the user's own life from general ones. ``standing_mean`` and ``standing_spread`` are the dense scores of unrelated
    pairs, used while a user has too few memories to tell.
    """

    embedder: str
    passage_means: Floats
    query_means: Floats
    weights: Floats
    bias: float
    personal: Floats
    standing_mean: float
    standing_spread: float

    def passage(self, vector: Floats, text: str) -> Floats:
        """The vector of a stored text, centred and of length 1; shape (dim,). A zero vector stays zero."""
        return _unit(vector - self.passage_means[int(is_chinese(text))])

    def passages(self, vectors: Floats, texts: list[str]) -> Floats:
        """As :meth:`passage` for many; shape (n, dim)."""
        centred = vectors - self.passage_means[np.fromiter((is_chinese(text) for text in texts), dtype=np.intp, count=len(texts))]
        return np.asarray(centred / np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-6), dtype=np.float32)

    def query(self, vector: Floats, text: str) -> Floats:
        """The vector of a question, centred and of length 1; shape (dim,)."""
        return _unit(vector - self.query_means[int(is_chinese(text))])

    def personality(self, query: Floats) -> float:
        """How much a question (centred, shape (dim,)) is one about the user's own life: log-odds."""
        return float(query @ self._head[0]) + self._head[1]

    @cached_property
    def _head(self) -> tuple[Floats, float]:
        return self.personal[:-1], float(self.personal[-1])

    def to_json(self) -> str:
        """The text of the data file; numbers rounded to five digits."""
        fields: dict[str, Any] = {
            "embedder": self.embedder,
            "features": FEATURES,
            "weights": _rounded(self.weights),
            "bias": round(self.bias, 5),
            "standing_mean": round(self.standing_mean, 5),
            "standing_spread": round(self.standing_spread, 5),
            "personal": _rounded(self.personal),
            "passage_means": [_rounded(row) for row in self.passage_means],
            "query_means": [_rounded(row) for row in self.query_means],
        }
        return "{\n" + ",\n".join(f'"{key}": {json.dumps(value)}' for key, value in fields.items()) + "\n}\n"

    @classmethod
    def from_json(cls, text: str) -> Calibration:
        """The calibration of a data file. ValueError where it was made for other features."""
        read = json.loads(text)
        if tuple(read["features"]) != FEATURES:
            raise ValueError(f"the calibration of {read['embedder']} is for other features: run `python -m eval.calibrate`")
        return cls(
            embedder=read["embedder"],
            passage_means=np.array(read["passage_means"], dtype=np.float32),
            query_means=np.array(read["query_means"], dtype=np.float32),
            weights=np.array(read["weights"], dtype=np.float32),
            bias=float(read["bias"]),
            personal=np.array(read["personal"], dtype=np.float32),
            standing_mean=float(read["standing_mean"]),
            standing_spread=float(read["standing_spread"]),
        )


def uncalibrated(embedder: str, dim: int) -> Calibration:
    """Stands in for an embedder that nobody calibrated: no centring, relevance mostly from standing out and from words."""
    nothing = np.zeros((2, dim), dtype=np.float32)
    weights = np.array([0.0, 1.0, 4.0, 5.0, 0.0, 0.5, 0.0, 0.0, 0.0], dtype=np.float32)
    return Calibration(embedder, nothing, nothing, weights, -4.0, np.zeros(dim + 1, dtype=np.float32), 0.5, 0.15)


@cache
def calibration_of(embedder: str, dim: int) -> Calibration:
    """The shipped calibration of an embedder, else :func:`uncalibrated`."""
    file = resources.files("memory").joinpath("calibrations", embedder.replace("/", "--") + ".json")
    if not file.is_file():
        return uncalibrated(embedder, dim)
    known = Calibration.from_json(file.read_text(encoding="utf-8"))
    return known if known.passage_means.shape[1] == dim else uncalibrated(embedder, dim)


def _unit(vector: Floats) -> Floats:
    return np.asarray(vector / np.float32(max(math.sqrt(float(vector @ vector)), 1e-6)), dtype=np.float32)


def _rounded(values: Floats) -> list[float]:
    return [round(float(value), 5) for value in values]
