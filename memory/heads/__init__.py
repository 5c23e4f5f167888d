"""Small classifiers over an embedder's vectors and hand-made hints: one logistic line a class, each for itself.

Built by ``python -m eval.teach`` from the project's own examples; an embedder that none was taught for has no head, and what needs one
is then decided by rules alone. Each package that has heads holds them in its folder ``heads``, with hints in ``heads/hints``.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

Doubles = NDArray[np.float64]
QUOTED = re.compile(r"[“\"「『《‘][^”\"」』》’]*[”\"」』》’]|(?<!\w)'[^']*'(?!\w)")
"""What stands in quotation marks is content: its words are no hints."""


@dataclass(frozen=True)
class Head:
    """``lines`` has shape (classes, features + 1), the bias last. ``means`` (2, dim): of texts of other scripts, of Chinese ones."""

    name: str
    embedder: str
    classes: tuple[str, ...]
    lines: Doubles
    means: Doubles

    def shares(self, table: Doubles) -> Doubles:
        """How likely each class is, each line for itself; ``table`` (n, features) → (n, classes)."""
        odds = np.hstack([table, np.ones((len(table), 1))]) @ self.lines.T
        return np.asarray(1 / (1 + np.exp(-np.clip(odds, -30, 30))))

    def centred(self, vectors: Doubles, chinese: NDArray[np.bool_]) -> Doubles:
        """Vectors (n, dim) without what their language alone gives them, of length 1."""
        moved = vectors - self.means[chinese.astype(np.intp)]
        return np.asarray(moved / np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-6))

    def dump(self) -> str:
        """As JSON, five digits."""
        row: dict[str, Any] = {"name": self.name, "embedder": self.embedder, "classes": list(self.classes)}
        return json.dumps({**row, "lines": np.round(self.lines, 5).tolist(), "means": np.round(self.means, 6).tolist()}, ensure_ascii=False)


@cache
def load(package: str, name: str, embedder: str) -> Head | None:
    """The head of that name of a package (``memory``, ``evolution``) for an embedder; None where none was taught."""
    file = resources.files(package) / "heads" / f"{name}--{embedder.replace('/', '--')}.json"
    if not file.is_file():
        return None
    row = json.loads(file.read_text(encoding="utf-8"))
    return Head(row["name"], row["embedder"], tuple(row["classes"]), np.array(row["lines"]), np.array(row["means"]))


@cache
def hints(package: str, name: str) -> dict[str, re.Pattern[str]]:
    """Word patterns by name, in the order of their file ``heads/hints/NAME.yaml``: features for a head, never verdicts by themselves."""
    file = resources.files(package) / "heads" / "hints" / f"{name}.yaml"
    rows = yaml.safe_load(file.read_text(encoding="utf-8"))
    return {hint: re.compile("|".join(parts), re.I) for hint, parts in rows.items()}
