"""A start that is cut off at any moment leaves nothing that the next command does not find: never two clusters on one home."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from serve import cluster, processes
from serve.cluster_record import read_record
from tests.serve.test_cluster import Box, box, eventually

ROOT = Path(__file__).parents[2]
START = """
import sys
from pathlib import Path
from schemas.settings import Settings
from serve import cluster
cluster.start(Path(sys.argv[1]), Settings.model_validate_json(sys.argv[2]), target="tests.serve.tiny_app:build", with_model=False)
"""


@pytest.fixture
def cut(tmp_path: Path) -> Iterator[Box]:
    made = box(tmp_path)
    made.home.mkdir(exist_ok=True)
    yield made
    cluster.stop(made.home)
    shutil.rmtree(cluster.folder_of(made.home), ignore_errors=True)


def begin(box: Box) -> subprocess.Popen[bytes]:
    """`laoma up` in a process of its own that can be killed."""
    return subprocess.Popen([sys.executable, "-c", START, str(box.home), box.settings.model_dump_json()], cwd=ROOT)


def standing(box: Box) -> list[str]:
    """What of this home runs, told by other marks than those that the code goes by: its folders in arguments or as place of work."""
    folder, found = str(cluster.folder_of(box.home)), []
    for process in psutil.process_iter():
        try:
            words = " ".join(process.cmdline())
            if process.pid != os.getpid() and (folder in words or str(box.home) in words or process.cwd() == folder):
                found.append(words)
        except (psutil.Error, OSError):
            continue
    return found


def heads(box: Box) -> int:
    return sum("gcs_server" in words.split(" ")[0] for words in standing(box))


@pytest.mark.ray
@pytest.mark.parametrize("moment", ["serve.launch", "gcs_server", "ServeController"])
def test_killed_at_any_moment_it_leaves_what_down_ends(cut: Box, moment: str) -> None:
    starting = begin(cut)
    eventually(lambda: any(moment in words for words in standing(cut)))
    starting.kill()
    starting.wait()
    eventually(lambda: cut.state().state != "starting")
    cluster.stop(cut.home)
    assert standing(cut) == []
    assert read_record(cut.home) is None
    assert cut.state().state == "stopped"


@pytest.mark.ray
def test_the_next_start_takes_the_place_of_one_that_was_killed(cut: Box) -> None:
    starting = begin(cut)
    eventually(lambda: any("raylet" in words for words in standing(cut)))
    starting.kill()
    starting.wait()
    assert cut.start().running
    assert cut.get("/greeting").json() == "hello"
    assert heads(cut) == 1


@pytest.mark.ray
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_asked_to_stop_it_takes_everything_with_it(cut: Box, number: signal.Signals) -> None:
    starting = begin(cut)
    eventually(lambda: any("raylet" in words for words in standing(cut)))
    starting.send_signal(number)
    assert starting.wait(60) == 128 + number
    assert standing(cut) == []
    assert cluster.stop(cut.home) is False


def test_a_launcher_whose_parent_is_gone_starts_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "serve.launch", str(tmp_path), str(tmp_path), "x:y", "1"]
    done = subprocess.run(command, cwd=ROOT, input=b"", capture_output=True, check=False)
    assert done.returncode == 1
    assert b"has ended" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_process_that_brings_the_model_up_is_found_before_it_says_anything(tmp_path: Path) -> None:
    folder = cluster.folder_of(tmp_path)
    starter = subprocess.Popen(
        [sys.executable, "-c", "import sys; print(flush=True); sys.stdin.read()"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, processes.MARK: str(folder)}, start_new_session=True,
    )  # fmt: skip
    assert starter.stdout is not None
    starter.stdout.readline()
    assert [process.pid for process in processes.belonging(str(folder))] == [starter.pid]
    assert cluster.stop(tmp_path) is True
    assert not psutil.pid_exists(starter.pid)
