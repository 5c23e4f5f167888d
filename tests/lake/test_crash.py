"""Nothing acknowledged is lost: not by kill -9, not by a power cut, not by an overlap of owners."""

from __future__ import annotations

import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from lake.store import Put
from schemas.errors import Fenced, Unavailable
from schemas.settings import Lake
from schemas.turn import Turn
from tests.lake.conftest import open_shard, turn

REPO = Path(__file__).parents[2]


def start(root: Path, first: int, *more: str, before: tuple[str, ...] = ()) -> subprocess.Popen[str]:
    command = [*before, sys.executable, "-m", "tests.lake.writer", str(root), str(first), *more]
    return subprocess.Popen(command, cwd=REPO, stdout=subprocess.PIPE, text=True)


def acknowledged(lines: list[str]) -> set[str]:
    return {line.split()[1] for line in lines if line.startswith("ack ")}


def read_until(process: subprocess.Popen[str], enough: int) -> list[str]:
    assert process.stdout is not None
    lines: list[str] = []
    for line in process.stdout:
        lines.append(line.strip())
        if len(acknowledged(lines)) >= enough:
            break
    return lines


def test_kill_9_at_random_loses_no_acknowledged_turn_and_doubles_none(root: Path) -> None:
    chance = random.Random(7)
    sure: set[str] = set()
    for round_number in range(4):
        process = start(root, round_number * 100_000)
        lines = read_until(process, chance.randrange(20, 150))
        process.send_signal(signal.SIGKILL)
        rest, _ = process.communicate()
        sure |= acknowledged(lines + rest.split("\n"))
    with open_shard(root) as store:
        found = Counter(row.id for row in store.rows(Turn, "u1"))
        assert sure - found.keys() == set()
        assert set(found.values()) == {1}
        assert store.stats().quarantined == 0


def test_a_power_cut_that_tears_unsynced_table_files_loses_nothing(root: Path) -> None:
    slow = Lake(apply_every_ms=60_000, apply_rows=100_000)
    store = open_shard(root, settings=slow)
    store.commit([Put([turn("t1")])]).result()
    store.flush()
    synced = {path for path in (root / "tables").rglob("*") if path.is_file()}
    store.commit([Put([turn("t2")])]).result()
    assert store.count(Turn, "u1") == 2  # applied, yet neither synced nor trimmed
    after = root.parent / "after"
    shutil.copytree(root, after)
    torn = [path for path in (after / "tables").rglob("*") if path.is_file() and root / path.relative_to(after) not in synced]
    assert torn
    for path in torn:
        path.write_bytes(b"")
    store.close()
    with open_shard(after) as again:
        assert sorted(row.id for row in again.rows(Turn, "u1")) == ["t1", "t2"]
        again.commit([Put([turn("t3")])]).result()
        assert again.count(Turn, "u1") == 3


def test_a_table_whose_first_files_were_torn_is_made_anew(root: Path) -> None:
    open_shard(root).close()
    store = open_shard(root, settings=Lake(apply_every_ms=60_000, apply_rows=100_000))
    store.commit([Put([turn("t1")])]).result()
    assert store.count(Turn, "u1") == 1
    after = root.parent / "after"
    shutil.copytree(root, after)
    store.close()
    for path in (after / "tables").rglob("*.manifest"):
        path.write_bytes(b"")
    with open_shard(after) as again:
        assert [row.id for row in again.rows(Turn, "u1")] == ["t1"]


def test_a_lake_copied_without_its_journal_is_taken_as_it_is(root: Path) -> None:
    with open_shard(root) as store:
        store.commit([Put([turn("t1")])]).result()
    copy = root.parent / "copy"
    shutil.copytree(root / "tables", copy / "tables")
    with open_shard(copy) as again:
        assert [row.id for row in again.rows(Turn, "u1")] == ["t1"]


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_each_acknowledgement_follows_a_sync_and_the_journal_is_trimmed_after_the_tables_are_synced(root: Path, tmp_path: Path) -> None:
    log = tmp_path / "trace"
    calls = "trace=fsync,fdatasync,write,pwrite64,rename,unlink"
    process = start(root, 0, "30", before=("strace", "-f", "-y", "-o", str(log), "-e", calls, "-s", "200"))
    out, _ = process.communicate(timeout=120)
    assert len(acknowledged(out.split("\n"))) == 30
    acks, synced = 0, False
    for line in log.read_text(errors="replace").splitlines():
        if re.search(r"f(data)?sync\(.*journal\.sqlite-wal", line):
            synced = True
        elif "ack t" in line and "write(1" in line:
            acks += 1
            assert synced, line
            synced = False
    assert acks == 30
    lance = {Path(path) for path in re.findall(r"fsync\(\d+<([^>]*\.lance/[^>]*)>", log.read_text(errors="replace"))}
    kept = {path for path in (root / "tables").rglob("*") if path.is_file()}
    assert kept <= lance


def test_a_new_owner_in_the_same_process_fences_the_old_one(root: Path) -> None:
    quick = Lake(lease_s=2.0)
    old = open_shard(root, settings=quick, holder="old")
    old.commit([Put([turn("t1")])]).result()
    new = open_shard(root, settings=quick, holder="new")
    with pytest.raises(Fenced, match="new"):
        old.commit([Put([turn("t2")])]).result()
    with pytest.raises(Fenced):
        old.rows(Turn, "u1")
    new.commit([Put([turn("t3")])]).result()
    old.close()
    assert sorted(row.id for row in new.rows(Turn, "u1")) == ["t1", "t3"]
    new.close()


def test_a_new_owner_in_another_process_takes_over_while_the_old_one_writes(root: Path) -> None:
    old = start(root, 0)
    before = read_until(old, 30)
    new = start(root, 100_000, "50")
    out, _ = new.communicate(timeout=60)
    rest, _ = old.communicate(timeout=60)
    assert rest.split("\n")[-2] == "Fenced"
    sure = acknowledged(before + rest.split("\n") + out.split("\n"))
    assert len(acknowledged(out.split("\n"))) == 50
    with open_shard(root) as store:
        found = Counter(row.id for row in store.rows(Turn, "u1"))
    assert sure - found.keys() == set()
    assert set(found.values()) == {1}


def test_an_owner_that_hangs_keeps_the_new_one_from_writing(root: Path) -> None:
    old = start(root, 0)
    read_until(old, 5)
    old.send_signal(signal.SIGSTOP)
    with pytest.raises(Unavailable, match="stop it"):
        open_shard(root, settings=Lake(lease_s=0.3))
    old.send_signal(signal.SIGCONT)
    rest, _ = old.communicate(timeout=60)
    assert rest.split("\n")[-2] == "Fenced"
    with open_shard(root) as store:
        assert store.count(Turn, "u1") >= 5


def test_a_full_disk_fails_the_commit_and_leaves_the_shard_usable(root: Path) -> None:
    with open_shard(root) as store:
        store.commit([Put([turn("t1")])]).result()
        journal = store._journal._db
        pages = journal.execute("PRAGMA page_count").fetchone()[0]
        journal.execute(f"PRAGMA max_page_count={pages}")
        with pytest.raises(Unavailable, match="disk"):
            store.commit([Put([turn("t2", content="x" * 200_000)])]).result()
        assert store.count(Turn, "u1") == 1
        journal.execute("PRAGMA max_page_count=1000000")
        store.commit([Put([turn("t2")])]).result()
        assert store.count(Turn, "u1") == 2


def test_tables_that_can_not_be_written_keep_commits_in_the_journal(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = open_shard(root, settings=Lake(apply_every_ms=1))
    with monkeypatch.context() as broken:

        def refuse(*_: object) -> int:
            raise OSError("No space left on device")

        broken.setattr("lake.applier.apply", refuse)
        store.commit([Put([turn("t1")])]).result()
        with pytest.raises(Unavailable, match="No space left"):
            store.rows(Turn, "u1")
    assert [row.id for row in store.rows(Turn, "u1")] == ["t1"]
    store.close()


def test_an_entry_that_can_not_be_read_is_set_aside_and_the_shard_opens(root: Path) -> None:
    with open_shard(root) as store:
        store.commit([Put([turn("t1")])]).result()
    with sqlite3.connect(root / "journal.sqlite") as db:
        db.execute("INSERT INTO entries (name, version, payload) VALUES ('turns', 1, 'no json')")
    with open_shard(root) as store:
        assert store.count(Turn, "u1") == 1
        assert store.stats().quarantined == 1


def test_the_journal_is_trimmed_only_when_every_table_file_is_synced(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unsynced: list[Path] = []
    store = open_shard(root, settings=Lake(apply_every_ms=60_000, apply_rows=100_000))
    trim = store._journal.trim

    def watched(fence: int, upto: int, versions: dict[str, int]) -> None:
        files = [path for path in (root / "tables").rglob("*") if path.is_file()]
        unsynced.extend(path for path in files if str(path) not in store._files._known)
        trim(fence, upto, versions)

    monkeypatch.setattr(store._journal, "trim", watched)
    for n in range(5):
        store.commit([Put([turn(f"t{n}")])]).result()
        store.flush()
    store.maintain()
    assert unsynced == []
    assert store.stats().files_synced >= 10
    store.close()


def test_a_journal_on_a_shared_file_system_keeps_no_memory_beside_it_and_loses_nothing_either(root: Path) -> None:
    settings = Lake(shared=True, apply_every_ms=60_000, apply_rows=100_000)
    store = open_shard(root, settings=settings)
    store.commit([Put([turn("t1")])]).result()
    assert sorted(path.name for path in root.glob("journal.sqlite*")) == ["journal.sqlite"]  # neither -wal nor -shm
    modes = [store._journal._db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")]
    assert modes == ["delete", 3]
    shutil.copytree(root, root.parent / "after")  # as a power cut would leave it
    store.flush()
    store.close()
    with open_shard(root.parent / "after", settings=settings) as again:
        assert [row.id for row in again.rows(Turn, "u1")] == ["t1"]


def test_a_lake_may_move_to_a_shared_file_system_and_back(root: Path) -> None:
    for number, shared in enumerate((False, True, False)):
        with open_shard(root, settings=Lake(shared=shared)) as store:
            store.commit([Put([turn(f"t{number}")])]).result()
            store.flush()
            mode = store._journal._db.execute("PRAGMA journal_mode").fetchone()[0]
            assert (mode, store.count(Turn, "u1")) == ("delete" if shared else "wal", number + 1)


def test_a_new_owner_fences_the_former_on_a_shared_file_system_too(root: Path) -> None:
    settings = Lake(shared=True)
    former = open_shard(root, settings=settings)
    former.commit([Put([turn("t1")])]).result()
    with open_shard(root, settings=settings) as new:
        with pytest.raises(Fenced):
            former.commit([Put([turn("lost")])]).result()
        assert [row.id for row in new.rows(Turn, "u1")] == ["t1"]
    former.close()
