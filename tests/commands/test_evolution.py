"""revisions: show with a preview; test waits for the gate and says what it said."""

from __future__ import annotations

import json

import pytest

from tests.commands.conftest import Laoma
from tests.commands.scripted_service import Script

LATER = "2025-11-30T12:01:00Z"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commands.evolution._LOOK_S", 0.01)


def test_it_waits_for_the_gate_and_names_the_cases_that_fell(online: Laoma, service: Script) -> None:
    service.gated = {"state": "refused", "gate": "failed", "reason": "19 of 20", "cases": ["zh-name: lacks 阿岚"], "updated_at": LATER}
    done = online("revisions", "test", "0198c2")
    assert done.code == 0
    assert done.out.split("\n")[:2] == ["0198c2aa  refused    19 of 20", "✗ zh-name: lacks 阿岚"]
    assert service.bodies("POST", "/v1/revisions/0198c2aa/test") == [None]


def test_as_json_it_is_the_revision(online: Laoma, service: Script) -> None:
    service.gated = {"state": "ready", "gate": "passed", "updated_at": LATER}
    assert json.loads(online("revisions", "test", "0198c2", "--json").out)["state"] == "ready"


def test_a_job_that_failed_says_why(online: Laoma, service: Script) -> None:
    service.job_states = ["failed"]
    done = online("revisions", "test", "0198c2")
    assert done.code == 1
    assert done.err.strip()


def test_an_unknown_one_is_named(online: Laoma) -> None:
    done = online("revisions", "test", "77")
    assert done.code == 1
    assert "0 revisions begin with '77'" in done.err


def test_show_ends_with_the_rules_before_and_after_it(online: Laoma) -> None:
    done = online("revisions", "show", "0198c2")
    assert done.out.splitlines()[-2:] == ["  日期写成年月日。", "+ 先说结论。"]
    assert "state: proposed" in done.out
