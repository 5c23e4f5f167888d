"""Every real export through the whole job gives exactly its turns; every broken file is refused or read as far as is right."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from schemas.turn import Turn
from tests.jobs.imports.house import with_jobs
from tests.jobs.imports.test_reading_data import DATA, manifest, outcomes
from tests.serve.house import House

pytestmark = [pytest.mark.data, pytest.mark.skipif(not DATA.exists(), reason=f"no evaluation data at {DATA}: set LAOMA_DATA")]


async def upload(house: House, path: Path, **fields: str) -> Any:
    content = await asyncio.to_thread(path.read_bytes)
    data = {"wait": "true", **fields}
    return await house.as_("lin").post("/v1/imports", files={"files": (path.name, content)}, data=data, timeout=120)


def stored(house: House) -> list[Turn]:
    return house.service._resources.store.rows(Turn, "lin")


@pytest.mark.parametrize("entry", manifest(), ids=lambda entry: entry["path"])
async def test_an_export_is_stored_whole_and_can_be_undone(entry: dict[str, Any], house: House) -> None:
    with_jobs(house)
    fields = {"me": entry["self_name"]} if entry["self_name"] else {}
    told = (await upload(house, DATA / "exports" / entry["path"], **fields)).json()
    expected = json.loads((DATA / "exports" / entry["expected"]).read_text(encoding="utf-8"))
    assert told["state"] == "done", told
    turns = stored(house)
    assert len(turns) == len(expected)
    assert sorted(turn.role for turn in turns) == sorted(row["role"] for row in expected)
    assert all(turn.extraction == "skipped" for turn in turns if turn.role != "user")
    again = (await upload(house, DATA / "exports" / entry["path"], **fields)).json()
    assert again["kept"].get("turns_new", 0) == 0
    undone = (await house.as_("lin").delete(f"/v1/imports/{told['id']}")).json()
    assert undone["turns"] == len(expected)
    assert stored(house) == []
    assert await house.memories("lin") == []


@pytest.mark.parametrize("entry", outcomes(), ids=lambda entry: entry["file"])
async def test_a_broken_file_changes_nothing_or_says_what_it_left_out(entry: dict[str, Any], house: House, tmp_path: Path) -> None:
    with_jobs(house)
    path = DATA / "broken" / entry["file"]
    if path.suffix == ".py":
        made = tmp_path / "made.json"
        await asyncio.to_thread(subprocess.run, [sys.executable, path, made], check=True)
        path = made
    answer = await upload(house, path)
    if entry["outcome"].startswith("error"):
        assert answer.status_code == 400
        assert path.name in answer.json()["error"]["message"]
        assert stored(house) == []
        return
    assert answer.json()["state"] == "done", answer.text
    assert len(stored(house)) == entry["imported_turns"]
    assert list((house.home / "imports").glob("*")) == []
