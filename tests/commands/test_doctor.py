"""doctor on a home where nothing runs."""

from __future__ import annotations

import json
from pathlib import Path

from lake.place import Place
from tests.commands.conftest import Laoma


def test_a_sound_home_that_is_down_exits_with_0_and_says_what_was_skipped(laoma: Laoma, home: Path) -> None:
    Place(home).create()
    done = laoma("doctor")
    assert done.code == 0, done.out + done.err
    assert "laoma does not run: only what lies on disk is checked" in done.out
    assert "skipped  chat model" in done.out


def test_a_fault_exits_with_1_and_names_its_remedy_in_both_languages(laoma: Laoma, home: Path) -> None:
    Place(home).create()
    (home / "owner.key").write_text("k")
    (home / "owner.key").chmod(0o644)
    done = laoma("doctor")
    assert done.code == 1
    assert f"→ chmod 600 {home / 'owner.key'}" in done.out
    assert "故障  密钥文件权限：他人可读：owner.key" in laoma("doctor", LANG="zh_CN.UTF-8").out


def test_json_tells_each_finding(laoma: Laoma, home: Path) -> None:
    Place(home).create()
    told = json.loads(laoma("doctor", "--json").out)
    assert (told["online"], told["healthy"]) == (False, True)
    assert {"memory_no_effect", "replies_mixed", "error_returns", "worse_after_update", "ram_climbs"} < {
        one["check"] for one in told["findings"]
    }


def test_a_lake_that_cannot_be_read_is_a_fault(laoma: Laoma, home: Path) -> None:
    Place(home).create()
    table = home / "lake" / "shards" / "0" / "tables" / "memories.lance"
    table.mkdir(parents=True)
    (table / "broken").write_text("x")
    done = laoma("doctor")
    assert done.code == 1
    assert "FAULT  lake: it can't be read" in done.out


def test_no_home_is_one_line(laoma: Laoma) -> None:
    assert "`laoma up` makes one" in laoma("doctor").err
