"""README's first session, run as it is written on a real cluster; only the port, the home and the model's words are the test's."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from commands.client import Service
from serve.ports import free_ports
from tests.commands.scripted_service import KEY, Script, served

ROOT = Path(__file__).parents[2]
PATIENCE_S = 300
pytestmark = pytest.mark.ray


class Shell:
    """A shell in which ``laoma`` is found and the home is the test's."""

    def __init__(self, home: Path, port: int, folder: Path) -> None:
        self.home, self.port = home, port
        (folder / "laoma").write_text(f'#!/bin/sh\nexec "{sys.executable}" "{ROOT / "laoma.py"}" "$@"\n')
        (folder / "laoma").chmod(0o755)
        path = os.pathsep.join([str(folder), str(Path(sys.executable).parent), os.environ["PATH"]])
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("LAOMA_", "LC_"))}
        self._environment = inherited | {"PATH": path, "LAOMA_HOME": str(home), "LANG": "C.UTF-8", "MODEL_KEY": KEY}

    def run(self, script: str, *, shell: str = "bash") -> subprocess.CompletedProcess[str]:
        """Runs README's words; the address and the home in them become the test's."""
        script = script.replace("8317", str(self.port)).replace("~/.local/share/laoma", str(self.home))
        command = ["bash", "-ec", script] if shell == "bash" else [sys.executable, "-c", script]
        return subprocess.run(command, env=self._environment, capture_output=True, text=True, timeout=PATIENCE_S)


@pytest.fixture(scope="module")
def model() -> Iterator[Script]:
    """The words of the chat model."""
    with served(Script(reply=["Noted."] * 8)) as script:
        yield script


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory, model: Script) -> Iterator[Shell]:
    """A laoma that was started with ``laoma up``, stopped at the end."""
    home = tmp_path_factory.mktemp("home")
    (port,) = free_ports([None])
    url = f"{model.address}/v1"
    (home / "config.yaml").write_text(f"http:\n  port: {port}\nmodel:\n  url: {url}\n  name: scripted\n  key_env: MODEL_KEY\n")
    shell = Shell(home, port, tmp_path_factory.mktemp("bin"))
    try:
        started = shell.run("laoma up")
        assert started.returncode == 0, started.stderr
        assert "Your key (shown this once): laoma-" in started.stdout
        shown = re.search(r"^  (curl .*)$", started.stdout, re.MULTILINE)
        assert shown is not None
        assert json.loads(shell.run(shown[1]).stdout) == {"memories": [], "briefing": "", "quoted": []}
        yield shell
    finally:
        stopped = shell.run("laoma down")
        assert stopped.stdout == "laoma is stopped.\n", stopped.stderr


def _session(language: str) -> list[str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text.split("## A first session")[1].split("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)


def test_three_lines_in_the_terminal(shell: Shell, model: Script) -> None:
    done = shell.run(_session("bash")[0])
    assert done.returncode == 0, done.stderr
    assert re.search(r"0\.\d\d .*我早上只喝无糖豆浆", done.stdout)
    assert "remembered: 我早上只喝无糖豆浆" in done.stderr
    prompt = model.bodies("POST", "/v1/chat/completions")[-1]["messages"]
    assert "我早上只喝无糖豆浆" in json.dumps(prompt, ensure_ascii=False)


def test_told_and_asked_with_curl(shell: Shell) -> None:
    done = shell.run(_session("bash")[1])
    told, recalled = (json.loads(line) for line in done.stdout.replace("}{", "}\n{").splitlines())
    assert len(told["turn_ids"]) == 1
    assert "花生" in recalled["memories"][0]["text"]


def test_told_in_one_conversation_and_in_the_prompt_of_the_next_with_the_openai_sdk(shell: Shell, model: Script) -> None:
    done = shell.run(_session("python")[0], shell="python")
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"Noted\.\n  recalled: .*\nNoted\.\n  recalled: [0-9a-f-]{36}\n", done.stdout)
    assert "oolong" in json.dumps(model.bodies("POST", "/v1/chat/completions")[-1]["messages"])


def test_old_turns_are_sealed_by_a_job_and_still_seen(shell: Shell) -> None:
    old = {"messages": [{"role": "user", "content": "I live in Oslo.", "at": "2025-11-20T10:00:00Z"}], "wait": True}
    Service(f"http://127.0.0.1:{shell.port}", (shell.home / "owner.key").read_text().strip()).post("/v1/turns", old)
    done = shell.run("laoma job submit seal --wait")
    assert done.returncode == 0, done.stderr
    assert "sealed 1 turns" in shell.run(f"laoma job logs {done.stdout.split()[0]}").stdout
    assert list((shell.home / "logs" / "turns" / "date=2025-11-20").glob("*.parquet"))
    seen = shell.run("laoma sql --json \"SELECT count(*) AS n FROM turns WHERE content LIKE '%Oslo%'\"")
    assert json.loads(seen.stdout) == [{"n": 1}]
    assert "seal" in shell.run("laoma job list").stdout


def test_status_while_it_runs(shell: Shell) -> None:
    told = json.loads(shell.run("laoma status --json").stdout)
    assert (told["state"], told["ready"], told["model"]["state"]) == ("running", True, "ready")
    assert told["shards"][0]["rows_memories"] >= 2
    assert told["pss_mb"] > 100


def test_a_second_up_finds_it_running_and_shows_no_key(shell: Shell) -> None:
    done = shell.run("laoma up")
    assert done.returncode == 0
    assert "shown this once" not in done.stdout
