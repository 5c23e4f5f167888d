"""What the rules of remembering need from outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into L2-normalised vectors.

    ``query`` and ``passage`` differ on purpose (e5): a question is embedded by the first, what is searched by the second.
    ``name`` identifies model and quantisation: vectors of different names are never compared.
    """

    name: str
    dim: int

    def query(self, texts: Sequence[str]) -> Floats:
        """Shape (len(texts), dim)."""
        ...

    def passage(self, texts: Sequence[str]) -> Floats:
        """Shape (len(texts), dim)."""
        ...
