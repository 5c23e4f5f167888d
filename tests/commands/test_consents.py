"""consent: list, give, withdraw."""

from __future__ import annotations

import json

from tests.commands.conftest import Laoma
from tests.commands.scripted_service import Script


def test_leave_is_given_listed_and_withdrawn(online: Laoma, service: Script) -> None:
    assert "not kept" in online("consent", "list").err
    assert online("consent", "give", "health").code == 0
    assert [row["id"] for row in json.loads(online("consent", "list", "--json").out)] == ["health"]
    assert online("consent", "list").out.split()[:3] == ["matter", "since", "health"]
    assert online("consent", "withdraw", "health", LANG="zh_CN.UTF-8").err.startswith("以后不再记")
    assert service.consents == []


def test_an_unknown_matter_is_misuse_that_names_the_known_ones(online: Laoma) -> None:
    done = online("consent", "give", "weather")
    assert done.code == 2
    assert "health" in done.err
