"""Real export formats give exactly their turns, and broken files their right outcome."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from schemas.errors import InvalidRequest
from tests.jobs.imports.staged import Row, read

DATA = Path(os.environ.get("LAOMA_DATA", Path(__file__).parents[3] / ".." / "shared" / "data"))
pytestmark = [pytest.mark.data, pytest.mark.skipif(not DATA.exists(), reason=f"no evaluation data at {DATA}: set LAOMA_DATA")]


def manifest() -> list[dict[str, Any]]:
    path = DATA / "exports" / "MANIFEST.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else []


def plain(rows: list[Row], *, opaque: bool) -> object:
    """Conversations with their turns; white space and a millisecond don't matter, ids only where the file has them."""
    found: dict[object, list[object]] = {}
    for row in rows:
        ts = row["ts"]
        said = (row["role"], re.sub(r"\s+", " ", str(row["content"])).strip(), None if ts is None else round(float(str(ts)), 3))
        found.setdefault(row["conversation_id"], []).append(said)
    return sorted(found.values(), key=repr) if opaque else found


@pytest.mark.parametrize("entry", manifest(), ids=lambda entry: entry["path"])
def test_an_export_gives_exactly_its_turns(entry: dict[str, Any], tmp_path: Path):
    got, _ = read(tmp_path, DATA / "exports" / entry["path"], zone=entry["tz"] or "UTC", me=entry["self_name"])
    expected = json.loads((DATA / "exports" / entry["expected"]).read_text(encoding="utf-8"))
    assert plain(got, opaque=entry["ids_opaque"]) == plain(expected, opaque=entry["ids_opaque"])


def outcomes() -> list[dict[str, Any]]:
    path = DATA / "broken" / "EXPECTED.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else []


@pytest.mark.parametrize("entry", outcomes(), ids=lambda entry: entry["file"])
def test_a_broken_file_is_refused_by_name_or_read_as_far_as_is_right(entry: dict[str, Any], tmp_path: Path):
    path = DATA / "broken" / entry["file"]
    if path.suffix == ".py":
        made = tmp_path / "made.json"
        subprocess.run([sys.executable, path, made], check=True)
        path = made
    if entry["outcome"].startswith("error"):
        with pytest.raises(InvalidRequest) as refused:
            read(tmp_path, path)
        assert path.name in refused.value.message
        assert re.search(r"byte \d+|line \d+|empty|nested|expected a list of conversations", refused.value.message)
        return
    got, problems = read(tmp_path, path)
    assert len(got) == entry["imported_turns"]
    expected = path.with_name(f"{path.stem}.expected.json")
    if expected.exists():
        assert plain(got, opaque=True) == plain(json.loads(expected.read_text(encoding="utf-8")), opaque=True)
    said = " ".join(f"{one.where} {one.reason}" for one in problems)
    for name in re.findall(r"cyc-\d|bad-\d", " ".join(entry["message_must_name"])):
        assert name in said
