"""The container's files fit together and to the rest; what it runs is run, with a program that stands for laoma. No engine is here."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
import yaml

from schemas.settings import Settings, parse_settings

ROOT = Path(__file__).parents[2]
FILE = (ROOT / "Containerfile").read_text(encoding="utf-8")
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]["laoma"]


def test_it_is_published_on_loopback_alone_keeps_its_data_and_comes_back() -> None:
    port = Settings().http.port
    assert COMPOSE["ports"] == [f"127.0.0.1:{port}:{port}"]
    assert f"EXPOSE {port}" in FILE
    assert COMPOSE["volumes"] == ["laoma:/data"]
    assert "LAOMA_HOME=/data" in FILE
    assert COMPOSE["restart"] == "unless-stopped"
    assert COMPOSE["build"]["dockerfile"] == "Containerfile"


def test_it_is_built_by_the_steps_of_make_up_and_what_it_names_is_there() -> None:
    assert "bash .ci/install cpu" in FILE
    assert re.search(r"bash \.ci/install \$\(KIND\)", (ROOT / "Makefile").read_text(encoding="utf-8"))
    for path in re.findall(r"\.ci/\w+", FILE):
        assert (ROOT / path).exists()
    wanted = re.findall(r"apt-get install ([^#]+)", (ROOT / "README.md").read_text(encoding="utf-8"))[0].split()
    needless = {"git", "make", "python3.11", "python3.11-venv"}  # the checkout is copied in, Python is in the image
    assert set(wanted) - needless <= set(FILE.split())
    assert "USER laoma" in FILE


@pytest.mark.parametrize("configured", [False, True])
def test_it_starts_stays_and_stops_in_order(tmp_path: Path, configured: bool) -> None:
    home, log = tmp_path / "home", tmp_path / "log"
    home.mkdir()
    os.mkfifo(log)
    if configured:
        (home / "config.yaml").write_text("http:\n  port: 8400\n  host: 0.0.0.0\n")
    laoma = tmp_path / "laoma"
    laoma.write_text(f'#!/bin/sh\necho "$1" > "{log}"\n')
    laoma.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "LAOMA_HOME": str(home)}
    process = subprocess.Popen(["bash", str(ROOT / ".ci" / "container")], env=environment, start_new_session=True)
    try:
        assert log.read_text() == "up\n"  # waits for the writer
        settings = parse_settings((home / "config.yaml").read_text())
        assert (settings.http.host, settings.http.port) == ("0.0.0.0", 8400 if configured else 8317)
        process.send_signal(signal.SIGTERM)
        assert log.read_text() == "down\n"
        assert process.wait(30) == 0
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
