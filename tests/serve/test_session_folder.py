"""The folder of a cluster's sockets and logs: after a stop the last logs stay, bounded, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

from serve.session_folder import logs_of, prepare, rays_folder, settle


def session(folder: Path, name: str, sizes: dict[str, int]) -> Path:
    """A session as Ray leaves it, the files of ``sizes`` (bytes) each a second younger than the one before."""
    prepare(folder)
    inner = rays_folder(folder)
    logs = inner / name / "logs"
    (logs / "old").mkdir(parents=True)
    for number, (file, size) in enumerate(sizes.items()):
        (logs / file).write_bytes(b"x" * size)
        os.utime(logs / file, (1_000_000 + number, 1_000_000 + number))
    (inner / name / "sockets").mkdir()
    (inner / name / "sockets" / "plasma_store").write_text("")
    (inner / name / "port").write_text("1")
    latest = inner / "session_latest"
    latest.unlink(missing_ok=True)
    latest.symlink_to(inner / name)
    return logs


def left(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_the_logs_of_the_last_start_stay_and_the_rest_goes(tmp_path: Path) -> None:
    folder = tmp_path / "laoma-1-abc"
    session(folder, "session_1", {"raylet.out": 10})
    session(folder, "session_2", {"gcs.out": 10, "old/worker.out": 10})
    (folder / "prom.json").write_text("{}")
    settle(folder)
    assert left(folder) == ["ray/session_2/logs/gcs.out", "ray/session_2/logs/old/worker.out"]
    assert (logs_of(folder) / "gcs.out").read_bytes() == b"x" * 10


def test_of_many_logs_the_newest_stay(tmp_path: Path) -> None:
    folder = tmp_path / "laoma-1-abc"
    logs = session(folder, "session_1", {"first.out": 700_000, "second.out": 700_000, "third.out": 200_000})
    settle(folder, kept_mb=1)
    assert sorted(path.name for path in logs.iterdir() if path.is_file()) == ["second.out", "third.out"]


def test_a_folder_without_logs_goes_and_one_that_is_none_of_ours_stays(tmp_path: Path) -> None:
    empty, elsewhere = tmp_path / "laoma-1-abc", tmp_path / "elsewhere"
    prepare(empty)
    settle(empty)
    assert not empty.exists()
    settle(empty)
    elsewhere.mkdir()
    (elsewhere / "precious").write_text("x")
    link = tmp_path / "laoma-1-def"
    link.symlink_to(elsewhere)
    settle(link)
    assert left(elsewhere) == ["precious"]


def test_a_session_that_points_outside_takes_nothing_there_with_it(tmp_path: Path) -> None:
    folder, outside = tmp_path / "laoma-1-abc", tmp_path / "outside"
    (outside / "logs").mkdir(parents=True)
    (outside / "logs" / "precious").write_text("x")
    prepare(folder)
    (rays_folder(folder) / "session_latest").symlink_to(outside)
    settle(folder)
    assert left(outside) == ["logs/precious"]
