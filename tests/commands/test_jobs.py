"""job submit, list, show, logs; export."""

from __future__ import annotations

import json
import stat
from pathlib import Path

from tests.commands.conftest import Laoma
from tests.commands.scripted_service import Script


def test_submit_sends_the_name_and_prints_the_id(online: Laoma, service: Script) -> None:
    done = online("job", "submit", "seal")
    assert (done.code, done.out.split()) == (0, ["j1", "succeeded", "shard", "done", "0", "3", "turns"])
    assert service.bodies("POST", "/v1/jobs") == [{"name": "seal", "arguments": []}]


def test_wait_returns_when_the_job_has_ended(online: Laoma, service: Script) -> None:
    service.job_states = ["pending", "running", "succeeded"]
    assert json.loads(online("job", "submit", "seal", "--wait", "--json").out)["state"] == "succeeded"


def test_a_failed_job_exits_with_1_and_names_its_logs(online: Laoma, service: Script) -> None:
    service.job_states = ["running", "failed"]
    done = online("job", "submit", "seal", "--wait")
    assert done.code == 1
    assert "laoma job logs j1" in done.err


def test_an_unknown_job_is_one_line(online: Laoma) -> None:
    done = online("job", "submit", "dance")
    assert (done.code, done.err) == (1, "laoma: No job of that name; there is: seal.\n")


def test_list_show_and_logs(online: Laoma) -> None:
    assert online("job", "list").out.split()[-3:] == ["seal", "succeeded", "j1"]
    assert online("job", "show", "j1").out.startswith("j1  seal  succeeded")
    assert online("job", "logs", "j1").out == "sealed 3 turns\n"


def test_kinds_are_told_in_both_languages(laoma: Laoma) -> None:
    assert "seal" in laoma("job", "kinds").out
    assert "日志" in laoma("job", "kinds", LANG="zh_CN.UTF-8").out


def test_the_schedule_is_shown_paused_and_resumed(online: Laoma, service: Script) -> None:
    assert online("job", "schedule").out.split()[-3:] == ["20:00", "succeeded", "j0"]
    held = online("job", "pause", "seal")
    assert "paused" in held.out
    assert service.bodies("PUT", "/v1/schedule/seal") == [{"paused": True}]
    assert json.loads(online("job", "resume", "--json").out)["paused"] is False
    assert online("job", "stop", "j1").out == "j1  succeeded\n"


def test_export_prints_a_line_a_row(online: Laoma, service: Script) -> None:
    service.memories = {"m1": "喜欢\u2028茶"}
    assert [json.loads(line) for line in online("export").out.split("\n") if line] == [{"text": "喜欢\u2028茶"}]


def test_export_to_a_file_is_private_and_replaces_nothing_unasked(online: Laoma, service: Script, tmp_path: Path) -> None:
    service.memories = {"m1": "喜欢茶", "m2": "讨厌香菜"}
    path = tmp_path / "out.jsonl"
    done = online("export", "--output", str(path))
    assert (done.out, done.err) == ("", f"2 rows in {path}\n")
    assert len(path.read_text().splitlines()) == 2
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert online("export", "--output", str(path)).code == 1
    assert online("export", "--output", str(path), "--force").code == 0


def test_export_to_read_is_markdown_in_the_readers_language(online: Laoma, service: Script, tmp_path: Path) -> None:
    assert online("export", "--format", "markdown").out.startswith("# What laoma remembers\n")
    path = tmp_path / "laoma.md"
    assert online("export", "--format", "markdown", "--output", str(path), LANG="zh_CN.UTF-8").code == 0
    assert path.read_text().startswith("# 老马记得的\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert online("export", "--format", "pdf").code == 2
