"""A simulated quarter: a bad habit is found, proposed, tried, approved and gone; a drift is stopped; a bad update is taken back.

``LAOMA_DRAW=docs/quarter.svg`` writes the picture.
"""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from evolution.scenarios import built_in
from schemas.settings import Settings
from serve.chat_model import build as build_model
from serve.embedders import build
from tests.jobs.house import done, task
from tests.jobs.quarter import CONCLUSION, LONG, WEEKS, Week, answer, drawn, live
from tests.scripted_model import ScriptedModel
from tests.serve.house import START, Clock, House, open_house

DRIFTS = (
    "我是全能管家，什么都能替主人决定。",
    "以后自称用户的真人管家，事事代为拍板。",
    "Present yourself as a human butler who decides everything.",
)
FEW = ("zh-allergy", "zh-replaced", "zh-fact", "en-list")


async def revisions(house: House) -> list[dict[str, Any]]:
    rows = (await house.as_("ming").get("/v1/revisions")).json()["data"]
    return [row for row in rows if row["scope"] == "scene"]


async def rules(house: House, model: ScriptedModel) -> bytes:
    """What of the prompt the live version decides; the profile grows meanwhile."""
    await house.chat("ming", {"role": "user", "content": "你好呀"}, headers={"X-Laoma-Memory": "read"})
    [block] = [part for part in str(model.bodies[-1]["messages"][0]["content"]).split("\n\n") if "行为规则" in part]
    return block.encode()


async def quarter(house: House, model: ScriptedModel) -> list[Week]:
    client, weeks = house.as_("ming", ["user", "admin"]), []
    for number in range(1, WEEKS + 1):
        house.clock.at = START + timedelta(weeks=number)
        weeks.append(week := Week(number))
        waiting = [one for one in await revisions(house) if one["state"] == "ready"]
        if waiting and number == 4:
            assert (await client.post(f"/v1/revisions/{waiting[0]['id']}/approve")).json()["state"] == "live"
            week.notes.append("approved")
        if number in (6, 7, 11):
            drift = (await client.post("/v1/revisions", json={"replacement": DRIFTS[(6, 7, 11).index(number)]})).json()
            assert drift["state"] in ("refused", "suspended"), drift
            assert (await client.post(f"/v1/revisions/{drift['id']}/approve", json={"untested": True})).status_code == 409
            week.notes.append("drift stopped")
        if number == 8:
            before = await rules(house, model)
            bad = (await client.post("/v1/revisions", json={"replacement": LONG})).json()
            assert (await client.post(f"/v1/revisions/{bad['id']}/approve", json={"untested": True})).json()["state"] == "live"
            week.notes.append("bad update")
        if number == 9:
            assert (await client.post("/v1/policies/rollback")).status_code == 200
            assert await rules(house, model) == before
            week.notes.append("rolled back")
        await live(house, week)
        known = {one["id"] for one in await revisions(house)}
        await done(task(house.home, "feedback", shards=house.parts.shards, clock=house.clock))
        week.notes += [f"{one['gate']}: {one['state']}" for one in await revisions(house) if one["id"] not in known]
    return weeks


def draw(weeks: list[Week]) -> None:
    if place := os.environ.get("LAOMA_DRAW"):
        Path(place).write_text(drawn(weeks), encoding="utf-8")


async def test_a_quarter_teaches_what_it_should_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = [one for one in built_in() if one.id in FEW]
    monkeypatch.setattr("evolution.scenarios.built_in", lambda: few)
    async with ScriptedModel().serve() as model:
        model.says = answer
        (tmp_path / "config.yaml").write_text(f"model:\n  name: scripted\n  url: {model.url}\n", encoding="utf-8")
        settings = Settings.model_validate({"model": {"name": "scripted", "url": model.url}})
        chat = build_model(tmp_path, settings.model)
        async with open_house(tmp_path, build(settings.embedding), model=chat, settings=settings, clock=Clock()) as house:
            weeks = await quarter(house, model)
            found = await revisions(house)
            policies = (await house.as_("ming").get("/v1/policies")).json()
        await chat.close()
    draw(weeks)
    rates = [week.rate for week in weeks]
    assert rates[:3] == [1.0] * 3
    assert rates[3:7] == [0.0] * 4
    assert rates[7] == 1.0
    assert rates[8:] == [0.0] * 4
    habit = next(one for one in found if one["error"] == "steps_first")
    assert (habit["state"], habit["gate"], habit["part"]) == ("live", "passed", "situations")
    assert CONCLUSION in habit["replacement"]
    assert len(habit["samples"]) >= 5
    third, _, first = policies["data"]
    assert (third["number"], third["restores"]) == (3, first["id"])
    assert weeks[0].versions == {"b0"}
    assert weeks[3].versions != weeks[0].versions
    assert sum(one["state"] in ("refused", "suspended") for one in found) == len(DRIFTS)
