from __future__ import annotations

from pathlib import Path

import pytest

from lake.place import Place, shard_of
from schemas.errors import SettingsError


def test_the_folders_are_for_the_owner_only(tmp_path: Path) -> None:
    place = Place(tmp_path / "home")
    place.create()
    for name in ("", "lake", "logs", "models", "snapshots", "cache"):
        assert (place.home / name).stat().st_mode & 0o777 == 0o700
    assert place.shard(3) == place.home / "lake" / "shards" / "3"


def test_a_user_belongs_to_the_same_shard_for_ever_and_users_spread() -> None:
    assert [shard_of(user, 4) for user in ("u1", "u2", "O'Brien", "小禾")] == [1, 2, 0, 1]
    counts = [0, 0, 0, 0]
    for n in range(4000):
        counts[shard_of(f"user-{n}", 4)] += 1
    assert min(counts) > 800
    assert shard_of("anyone", 1) == 0


def test_another_shard_count_than_the_lakes_is_refused(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.settle_shards(2)
    place.settle_shards(2)
    with pytest.raises(SettingsError, match=r"has 2 shard\(s\).*set it back to 2"):
        place.settle_shards(3)


def test_shards_are_listed_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    place = Place(tmp_path)
    for number in (10, 2, 0):
        place.shard(number).mkdir(parents=True)
    assert [path.name for path in place.shards()] == ["0", "2", "10"]
