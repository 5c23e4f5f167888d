"""The port of those who must not block while texts are embedded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from memory.ports import Floats

Kind = Literal["query", "passage"]


class AsyncEmbedder(Protocol):
    """Embeds beside the event loop."""

    async def embed(self, texts: Sequence[str], kind: Kind) -> Floats:
        """Shape (len(texts), dim); one ``kind`` a call. Raises UpstreamFailed, EmbedderMismatch."""
        ...
