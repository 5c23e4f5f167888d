"""Bringing a backup back to where no lake is yet: a new machine, a new home. Nothing may run there."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from lake.durable import replace_text
from lake.erased import FILE as ERASED
from lake.erased import erased_since
from lake.frozen import thaw
from lake.place import Place
from lake.snapshot_folder import discard
from lake.store import ShardStore
from schemas.errors import Conflict
from schemas.settings import load_settings
from serve import snapshots
from serve.keys import OWNER, KeyRing
from serve.shard.forgetting import Forgotten, forget_again

_ADOPTED = ("keys.json", "config.yaml", "constitution.yaml", "scenarios.jsonl")


def is_new(home: Path) -> bool:
    """Whether no lake was begun here."""
    return not (Place(home).lake / "shards.json").exists()


def adopt(home: Path, name: str, now: Callable[[], datetime]) -> str | None:
    """Let the unpacked snapshot ``name`` be the lake of a new home, with the keys and settings that came along where none are there.

    Who was erased here since stays erased. Returns the owner's new key, None where the home had one. Raises Conflict where there is a
    lake already, LaomaError. Killed in between, restoring again does the rest.
    """
    if not is_new(home):
        raise Conflict("There is a lake here already.", code="lake_exists")
    place, snapshot = Place(home), snapshots.get(home, name)
    place.create()
    _settle_files(home, place.snapshots / name / "home")
    settings = load_settings(home)
    erased = Forgotten(users=erased_since(home, snapshot.at))
    for number, frozen in enumerate(snapshot.shards):
        root = place.shard(number)
        with ShardStore(root, embedder=frozen.embedder, dim=frozen.dim, settings=settings.lake, now=now, holder="restore") as store:
            thaw(store, place.logs, place.snapshots / name, frozen)
            if forget_again(store, place.logs, erased):
                store.maintain(purge=True)
            store.flush()
    key = _new_owner_key(home)
    place.settle_shards(len(snapshot.shards))  # until then it is a new home, and restoring again begins anew
    discard(place.snapshots / name)  # it may hold what was erased here since
    return key


def _settle_files(home: Path, came: Path) -> None:
    for name in _ADOPTED:
        if (came / name).exists() and not (home / name).exists():
            replace_text(home / name, (came / name).read_text(encoding="utf-8"))
    if (came / ERASED).exists():
        here = json.loads((home / ERASED).read_text(encoding="utf-8")) if (home / ERASED).exists() else {}
        replace_text(home / ERASED, json.dumps(json.loads((came / ERASED).read_text(encoding="utf-8")) | here, indent=1))


def _new_owner_key(home: Path) -> str | None:
    """The command line's own key: the old one's text is in no backup."""
    if (home / "owner.key").exists():
        return None
    key = KeyRing(home / "keys.json").create(OWNER, ["user", "admin"], label="restored")
    replace_text(home / "owner.key", key + "\n")
    return key
