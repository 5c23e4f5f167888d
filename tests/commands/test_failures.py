"""Every failure is one clear line and the right exit status."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.conftest import Laoma
from tests.commands.scripted_service import Script

ROOT = Path(__file__).parents[2]
GROUPS = [["memories"], ["memories", "show"], ["key"], ["key", "add"], ["key", "list"], ["key", "revoke"], ["model"], ["model", "use"]]
GROUPS += [["model", "list"], ["model", "probe"], ["job"], ["job", "submit"], ["job", "list"], ["job", "show"], ["job", "logs"]]
COMMANDS = [["up"], ["down"], ["status"], ["chat"], ["remember"], ["recall"], ["forget"], ["sql"], ["export"]]
COMMANDS += [["correct"], ["search"], ["profile"], ["conversations"], ["conversations", "show"], ["conversations", "delete"]]


@pytest.mark.parametrize("command", [[], *COMMANDS, *GROUPS], ids=" ".join)
def test_help_of_every_command_has_an_example(laoma: Laoma, command: list[str]) -> None:
    done = laoma(*command, "--help")
    assert done.code == 0
    assert "Example" in done.out
    assert "laoma " + " ".join(command) in done.out.split("Example")[1]


def test_not_running_says_laoma_up(laoma: Laoma) -> None:
    done = laoma("recall", "x", LAOMA_URL="http://127.0.0.1:9", LAOMA_KEY="k")
    assert (done.code, done.out) == (1, "")
    assert done.err == "laoma: laoma does not run at http://127.0.0.1:9: start it with `laoma up`\n"


def test_no_key_says_where_one_is_looked_for(laoma: Laoma, home: Path) -> None:
    done = laoma("memories")
    assert done.code == 1
    assert str(home / "owner.key") in done.err


def test_a_refused_key_is_one_line(online: Laoma) -> None:
    done = online("memories", LAOMA_KEY="wrong")
    assert (done.code, done.err) == (1, "laoma: That key is not known.\n")


def test_an_address_that_is_none_is_one_line(laoma: Laoma) -> None:
    done = laoma("memories", LAOMA_URL="localhost:80", LAOMA_KEY="k")
    assert (done.code, done.out) == (2, "")
    assert "http://" in done.err
    assert len(done.err.splitlines()) == 1


def test_a_bad_config_names_the_key_at_fault(laoma: Laoma, home: Path) -> None:
    home.mkdir()
    (home / "config.yaml").write_text("htp:\n  port: 1\n")
    done = laoma("memories", LAOMA_KEY="k")
    assert done.code == 1
    assert "`htp`" in done.err


@pytest.mark.parametrize(
    "arguments",
    [["recall"], ["recall", "x", "--limit", "0"], ["nosuch"], ["key", "add"], ["sql", "--json", "--csv", "x"]],
)
def test_misuse_exits_with_2(laoma: Laoma, arguments: list[str]) -> None:
    done = laoma(*arguments)
    assert done.code == 2
    assert "Traceback" not in done.err


def test_the_key_of_the_home_is_used(laoma: Laoma, home: Path, service: Script) -> None:
    home.mkdir()
    (home / "owner.key").write_text("laoma-test\n")
    assert laoma("memories", "--json", LAOMA_URL=service.address + "/v1/").out == "[]\n"


def test_help_imports_neither_ray_nor_pydantic_nor_httpx() -> None:
    code = (
        "import sys, laoma; laoma.build(); print(sorted({'ray','httpx','pydantic','duckdb','lancedb','rich','numpy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_reader_that_goes_away_is_no_failure_to_speak_of(service: Script) -> None:
    service.memories = {f"m{n}": "记忆" * 200 for n in range(300)}
    command = f"LAOMA_URL={service.address} LAOMA_KEY=laoma-test {sys.executable} laoma.py export | head -n 1"
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["model", "use", ""], "say which model"),
        (["model", "use", "  "], "say which model"),
        (["model", "use", "."], "config.json"),
        (["model", "use", "no such"], "no such"),
        (["key", "add", "a/b"], "'/'"),
        (["key", "add", ""], "printable"),
        (["key", "add", "\u200b"], "printable"),
        (["key", "add", "11010519491231002X"], "identity number"),
    ],
)
def test_an_argument_that_is_none_is_one_line_and_changes_nothing(laoma: Laoma, home: Path, arguments: list[str], word: str) -> None:
    done = laoma(*arguments)
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)
    assert word in done.err
    assert not (home / "config.yaml").exists()
    assert not (home / "keys.json").exists()


def test_export_without_a_service_is_one_line_and_leaves_no_file(laoma: Laoma, tmp_path: Path) -> None:
    done = laoma("export", "--output", str(tmp_path / "x.jsonl"), LAOMA_URL="http://127.0.0.1:9", LAOMA_KEY="k")
    assert (done.code, done.out, done.err) == (1, "", "laoma: laoma does not run at http://127.0.0.1:9: start it with `laoma up`\n")
    assert not (tmp_path / "x.jsonl").exists()


@pytest.mark.parametrize(
    "url", ["http://", "https://", "http:///v1", "http://:80", "http://[", "http://a b/v1", "http://h:99999", "http://h:0"]
)
def test_a_models_address_without_a_host_is_one_line_and_changes_nothing(laoma: Laoma, home: Path, url: str) -> None:
    done = laoma("model", "use", url)
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)
    assert "write it as http://HOST:PORT" in done.err
    assert not (home / "config.yaml").exists()
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text(f"model: {{url: '{url}'}}\n")
    assert "`model.url`" in laoma("memories", LAOMA_KEY="k").err


@pytest.mark.parametrize("key", ["laoma-密钥", "lao ma", "laoma-\n-x", "laoma-\udcff"])
def test_a_key_that_can_be_none_is_one_line(online: Laoma, key: str) -> None:
    done = online("memories", LAOMA_KEY=key)
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)
    assert "LAOMA_KEY" in done.err


def test_an_owners_key_file_of_other_bytes_is_one_line(laoma: Laoma, home: Path, service: Script) -> None:
    home.mkdir()
    (home / "owner.key").write_bytes(b"\xff\xfe\x00")
    done = laoma("memories", LAOMA_URL=service.address)
    assert (done.code, len(done.err.splitlines())) == (2, 1)


BYTES = [
    ["key", "add", "\udcff"],
    ["search", "\udcff"],
    ["remember", "\udcff\udcfe"],
    ["recall", "a\udcff"],
    ["forget", "\udcff", "-y"],
    ["correct", "m1", "\udcff"],
    ["chat", "\udcff"],
]


@pytest.mark.parametrize("command", BYTES, ids=lambda command: command[0])
def test_bytes_that_are_no_text_are_one_line(online: Laoma, service: Script, command: list[str]) -> None:
    service.memories = {"m1": "喜欢茶"}
    done = online(*command)
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)
    assert "UTF-8" in done.err
    assert service.memories == {"m1": "喜欢茶"}


@pytest.mark.parametrize("command", ["chat", "sql"])
def test_a_pipe_that_brings_no_text_is_one_line(command: str, tmp_path: Path) -> None:
    environment = {"LAOMA_HOME": str(tmp_path), "LAOMA_KEY": "k", "LANG": "C.UTF-8"}
    argv = [sys.executable, "laoma.py", command]
    done = subprocess.run(argv, cwd=ROOT, env=environment, input=b"\xff\xfe", capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"laoma: what comes through the pipe is no text in UTF-8 (`iconv -f GBK -t UTF-8`)\n"


def test_a_config_in_another_encoding_is_one_line_that_names_the_line(laoma: Laoma, home: Path) -> None:
    home.mkdir()
    (home / "config.yaml").write_bytes("zone: Asia/Shanghai\n# 时区\n".encode("gbk"))
    for command in (["model", "use", "none"], ["status"], ["up"]):
        done = laoma(*command, LAOMA_KEY="k")
        assert (done.code, len(done.err.splitlines())) == (1, 1)
        assert f"{home / 'config.yaml'}, line 2: this is no UTF-8" in done.err


FULL = "import resource, sys, laoma; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)); sys.argv[1:] = ['key', 'add', 'bob']; laoma.main()"


def test_a_disk_that_takes_nothing_more_is_one_line_and_keeps_what_was_there(laoma: Laoma, home: Path) -> None:
    assert laoma("key", "add", "alice").code == 0
    before = (home / "keys.json").read_bytes()
    environment = {"LAOMA_HOME": str(home), "LANG": "C.UTF-8"}
    done = subprocess.run([sys.executable, "-c", FULL], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("laoma: there is no room to write (File too large")
    assert len(done.stderr.splitlines()) == 1
    assert (home / "keys.json").read_bytes() == before


@pytest.mark.parametrize("command", ["key list", "sql 'SELECT 1' --json", "sql 'SELECT * FROM range(100000)' --csv", "--help"])
def test_output_that_finds_no_room_is_one_line(command: str, tmp_path: Path) -> None:
    environment = {"LAOMA_HOME": str(tmp_path), "LANG": "C.UTF-8"}
    shell = ["bash", "-c", f"{sys.executable} laoma.py {command} > /dev/full"]
    done = subprocess.run(shell, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("laoma: there is no room to write (No space left on device)")
    assert len(done.stderr.splitlines()) == 1


def test_closed_streams_are_no_failure(tmp_path: Path) -> None:
    environment = {"LAOMA_HOME": str(tmp_path), "LANG": "C.UTF-8"}
    for closed in (">&-", "2>&-"):
        shell = ["bash", "-c", f"{sys.executable} laoma.py key list {closed}"]
        done = subprocess.run(shell, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
