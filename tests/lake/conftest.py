"""A shard in a temporary folder, and rows to put into it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lake.place import Place
from lake.store import ShardStore
from schemas.memory import Memory
from schemas.settings import Lake
from schemas.turn import Turn

DIM = 8
EMBEDDER = "test/embedder"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)

OpenStore = Callable[..., ShardStore]


def open_shard(root: Path, *, embedder: str = EMBEDDER, dim: int = DIM, settings: Lake | None = None, holder: str = "test") -> ShardStore:
    return ShardStore(root, embedder=embedder, dim=dim, settings=settings or Lake(), now=lambda: NOON, holder=holder)


def turn(row_id: str, user: str = "u1", *, content: str = "你好", minutes: float = 0, **more: object) -> Turn:
    return Turn.model_validate(
        {
            "id": row_id,
            "user": user,
            "conversation": "c1",
            "exchange": "e1",
            "at": NOON + timedelta(minutes=minutes),
            "role": "user",
            "content": content,
            **more,
        }
    )


def memory(row_id: str, user: str = "u1", *, text: str = "喝咖啡不加糖", vector: list[float] | None = None, **more: object) -> Memory:
    embedder = EMBEDDER if vector is not None else None
    return Memory.model_validate(
        {
            "id": row_id,
            "user": user,
            "kind": "preference",
            "key": "偏好/饮食/含糖",
            "text": text,
            "created_at": NOON,
            "updated_at": NOON,
            "embedder": embedder,
            "vector": vector,
            **more,
        }
    )


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """The home that :func:`store` is the first shard of."""
    place = Place(tmp_path)
    place.create()
    return place


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "lake" / "shards" / "0"


@pytest.fixture
def store(root: Path) -> Iterator[ShardStore]:
    with open_shard(root) as opened:
        yield opened
