"""One embedder a session; a house a test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memory.ports import Embedder
from schemas.settings import Settings
from serve.embedders import build
from tests.serve.house import House, open_house


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    return build(Settings().embedding)


@pytest.fixture
async def house(tmp_path: Path, embedder: Embedder) -> AsyncIterator[House]:
    async with open_house(tmp_path, embedder) as opened:
        yield opened
