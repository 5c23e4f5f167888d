from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from serve.keys import KeyRing, ensure_owner

REPO = Path(__file__).parents[2]
ADD = """
import sys
from pathlib import Path
from serve.keys import KeyRing
ring = KeyRing(Path(sys.argv[1]))
for number in range(15):
    ring.create(f"{sys.argv[2]}-{number}")
    if number % 3 == 0:
        ring.revoke(next(key.id for key in ring.entries() if key.user == f"{sys.argv[2]}-{number}"))
"""


def test_keys_that_several_processes_add_and_revoke_at_once_are_all_kept(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    KeyRing(path).create("first")
    writers = [subprocess.Popen([sys.executable, "-c", ADD, str(path), name], cwd=REPO) for name in "abc"]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    entries = KeyRing(path).entries()
    assert sorted(key.user for key in entries) == sorted(["first", *(f"{name}-{number}" for name in "abc" for number in range(15))])
    assert len([key for key in entries if key.revoked_at is not None]) == 15


def test_the_owners_key_is_made_once_and_its_copy_opens(tmp_path: Path) -> None:
    key = ensure_owner(tmp_path)
    assert key is not None
    assert ensure_owner(tmp_path) is None
    assert (tmp_path / "owner.key").read_text() == key + "\n"
    assert (tmp_path / "owner.key").stat().st_mode & 0o777 == 0o600
    found = KeyRing(tmp_path / "keys.json").find(key)
    assert found is not None
    assert found.roles == ["user", "admin"]
