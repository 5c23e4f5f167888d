"""Opening a shard: what it says of itself."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from memory.ports import Floats
from schemas.settings import Settings
from serve import memory_shard
from serve.embedders import build


class Renamed:
    """The real embedder under a name that no heads are taught for."""

    def __init__(self) -> None:
        self._embedder = build(Settings().embedding)
        self.name, self.dim = "another/embedder", self._embedder.dim

    def query(self, texts: list[str]) -> Floats:
        return self._embedder.query(texts)

    def passage(self, texts: list[str]) -> Floats:
        return self._embedder.passage(texts)


@pytest.mark.parametrize(("renamed", "times"), [(True, 1), (False, 0)])
def test_an_embedder_without_heads_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, renamed: bool, times: int
) -> None:
    if renamed:
        monkeypatch.setattr(memory_shard, "build_embedder", lambda _: Renamed())
    with caplog.at_level(logging.WARNING, logger="laoma.shard"):
        memory_shard.open_shard(tmp_path, 0, Settings())
    said = [record.getMessage() for record in caplog.records if "rules alone" in record.getMessage()]
    assert len(said) == times
    assert all("another/embedder" in text for text in said)
