"""The gate (E9): scenarios before and after a proposal, through the code that serves, against a model whose words are scripted."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evolution.scenarios import Scenario, built_in
from memory.ports import Embedder
from schemas.errors import NotFound, Unavailable
from schemas.settings import Settings
from serve.embedders import build
from tests.jobs.house import done, task
from tests.scripted_model import ScriptedModel
from tests.serve.house import House, open_house

GOOD, BAD, OTHER = "日期写成年月日。", "回答篇幅长一些，多举例子。", "列表用数字编号。"


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    return build(Settings().embedding)


FEW = ("zh-allergy", "zh-replaced", "zh-secret", "en-list")


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four scenarios are quicker than twenty."""
    monkeypatch.setattr("evolution.scenarios.built_in", lambda: [one for one in built_in() if one.id in FEW])


@pytest.fixture
async def model() -> AsyncIterator[ScriptedModel]:
    async with ScriptedModel().serve() as serving:
        serving.says = well_behaved
        yield serving


@pytest.fixture
async def house(tmp_path: Path, embedder: Embedder, model: ScriptedModel) -> AsyncIterator[House]:
    (tmp_path / "config.yaml").write_text(f"model:\n  name: scripted\n  url: {model.url}\n", encoding="utf-8")
    settings = Settings.model_validate({"model": {"name": "scripted", "url": model.url}})
    async with open_house(tmp_path, embedder, settings=settings) as opened:
        yield opened


def scenario_of(body: dict[str, Any]) -> Scenario:
    return next(one for one in built_in() if body["messages"][-1]["content"].endswith(one.ask))


def prompt_of(body: dict[str, Any]) -> str:
    return "\n".join(str(message["content"]) for message in body["messages"])


def well_behaved(body: dict[str, Any]) -> str:
    """Answers each scenario right, and does what a rule of its prompt demands: also what is planted in one."""
    one = scenario_of(body)
    right = " ".join(group[0] for group in one.must_include) or "好的"
    return right + "。" * 1000 if BAD in prompt_of(body) else right


async def propose(house: House, rule: str, user: str = "ming", **body: str) -> dict[str, Any]:
    revision = (await house.as_(user).post("/v1/revisions", json={"replacement": rule, **body})).json()
    assert revision["state"] == "proposed", revision
    return dict(revision)


async def seen(house: House, id: str, user: str = "ming") -> dict[str, Any]:
    rows = (await house.as_(user).get("/v1/revisions")).json()["data"]
    return dict(next(row for row in rows if row["id"] == id))


async def run_gate(house: House, *ids: str) -> dict[str, Any]:
    report = await done(task(house.home, "gate", *ids, shards=house.parts.shards, clock=house.clock))
    return {str(name): count for name, count in report.rows}


async def test_a_proposal_that_breaks_scenarios_is_refused_with_the_cases_and_one_that_does_not_is_ready(
    house: House, model: ScriptedModel
) -> None:
    good, bad = await propose(house, GOOD), await propose(house, BAD)
    assert await run_gate(house) == {"passed": 1, "failed": 1}
    assert len(model.bodies) == 2 * 2 * 20
    ready, refused = await seen(house, good["id"]), await seen(house, bad["id"])
    assert (ready["state"], ready["gate"], ready["cases"]) == ("ready", "passed", [])
    assert ready["reason"] == "20 of 20 scenarios passed, 20 before"
    assert (refused["state"], refused["gate"], len(refused["cases"])) == ("refused", "failed", 20)
    assert refused["cases"][0].startswith("zh-allergy: ")
    assert (await house.as_("ming").post(f"/v1/revisions/{bad['id']}/approve", json={"untested": True})).status_code == 409
    assert (await house.as_("ming").post(f"/v1/revisions/{good['id']}/approve")).json()["state"] == "live"


@pytest.mark.usefixtures("few")
async def test_half_of_the_prompts_tell_the_rule_and_what_was_told_beforehand_is_in_both(house: House, model: ScriptedModel) -> None:
    await propose(house, GOOD)
    await run_gate(house)
    assert sum(GOOD in prompt_of(body) for body in model.bodies) == 4
    told = [prompt_of(body) for body in model.bodies if scenario_of(body).id == "zh-replaced"]
    assert len(told) == 2
    assert all("500元" in prompt for prompt in told)
    assert not any("Tulip8841" in prompt_of(body) for body in model.bodies)


@pytest.mark.usefixtures("few")
async def test_what_is_live_already_is_told_before_and_after(house: House, model: ScriptedModel) -> None:
    first = await propose(house, OTHER)
    await house.as_("ming").post(f"/v1/revisions/{first['id']}/approve", json={"untested": True})
    await propose(house, GOOD)
    assert await run_gate(house) == {"passed": 1}
    assert all(OTHER in prompt_of(body) for body in model.bodies)


@pytest.mark.usefixtures("few")
async def test_what_would_hold_for_all_is_tried_too(house: House, model: ScriptedModel) -> None:
    house.as_("root", ["user", "admin"])
    for_all = await propose(house, BAD, "root", scope="global")
    assert await run_gate(house, for_all["id"]) == {"failed": 1}
    assert (await seen(house, for_all["id"], "root"))["state"] == "refused"


@pytest.mark.usefixtures("few")
async def test_a_fault_that_was_there_before_refuses_nothing(house: House, model: ScriptedModel) -> None:
    model.says = lambda body: "" if scenario_of(body).lang == "en" else well_behaved(body)
    one = await propose(house, GOOD)
    assert await run_gate(house) == {"passed": 1}
    assert (await seen(house, one["id"]))["reason"] == "3 of 4 scenarios passed, 3 before"


@pytest.mark.usefixtures("few")
async def test_a_model_that_breaks_off_leaves_the_proposal_untried(house: House, model: ScriptedModel) -> None:
    from starlette.responses import JSONResponse

    one = await propose(house, GOOD)
    model.answer = JSONResponse({"error": {"message": "out of memory"}}, 500)
    with pytest.raises(Unavailable, match="gave no answer"):
        await run_gate(house)
    assert (await seen(house, one["id"]))["gate"] == "untried"


@pytest.mark.usefixtures("few")
async def test_a_model_that_is_not_capable_passes_nothing(house: House, model: ScriptedModel) -> None:
    model.says = lambda body: "嗯"
    one = await propose(house, GOOD)
    assert await run_gate(house) == {"not_testable": 1}
    assert (await seen(house, one["id"]))["state"] == "proposed"


@pytest.mark.usefixtures("few")
async def test_what_a_person_decided_meanwhile_stands(house: House, model: ScriptedModel) -> None:
    one = await propose(house, GOOD)
    found = await house.service.trials([])
    await house.as_("ming").post(f"/v1/revisions/{one['id']}/reject")

    class Late:
        """Shards that still showed the proposal as waiting."""

        async def each(self, method: Any, *_: Any) -> Any:
            return [found]

        call = house.parts.shards.call

    report = await done(task(house.home, "gate", shards=Late(), clock=house.clock))
    assert report.rows == [["nothing waits", 0]]
    assert (await seen(house, one["id"]))["state"] == "rejected"


async def test_an_unknown_proposal_is_named(house: House) -> None:
    with pytest.raises(NotFound):
        await run_gate(house, "none")
    assert await run_gate(house) == {"nothing waits": 0}


@pytest.mark.usefixtures("few")
async def test_a_homes_own_scenario_counts(house: House, model: ScriptedModel) -> None:
    (house.home / "scenarios.jsonl").write_text('{"id": "mine", "ask": "我养的狗叫什么", "must_include": [["豆豆"]]}', encoding="utf-8")
    model.says = lambda body: (
        ("不知道" if GOOD in prompt_of(body) else "豆豆") if body["messages"][-1]["content"].endswith("叫什么") else well_behaved(body)
    )
    one = await propose(house, GOOD)
    assert await run_gate(house) == {"failed": 1}
    assert (await seen(house, one["id"]))["cases"] == ["mine: lacks 豆豆"]


async def test_without_a_model_nothing_is_tested_and_nothing_passes(tmp_path: Path, embedder: Embedder) -> None:
    async with open_house(tmp_path, embedder) as house:
        one = await propose(house, GOOD)
        assert await run_gate(house) == {"not_testable": 1}
        assert await run_gate(house) == {"nothing waits": 0}
        answer = await house.as_("ming").post(f"/v1/revisions/{one['id']}/test")
        assert answer.status_code == 202, answer.text
        assert (answer.json()["job"], answer.json()["revision"]["gate"]) == (None, "not_testable")
        early = (await house.as_("ming").post(f"/v1/revisions/{one['id']}/approve")).json()["error"]
        assert early["code"] == "not_tested"
        assert "no model was chosen" in early["message"]


async def test_over_http_a_job_tries_it_for_its_owner_alone(house: House) -> None:
    asked: list[Any] = []

    class Jobs:
        async def submit(self, job: Any, **_: Any) -> Any:
            from schemas.job import Job

            asked.append((job.name, job.arguments))
            return Job(id="gate-1", name=job.name, state="pending")

    house.parts = replace(house.parts, jobs=Jobs())  # type: ignore[arg-type]
    one = await propose(house, GOOD)
    assert (await house.as_("hua").post(f"/v1/revisions/{one['id']}/test")).status_code == 404
    assert (await house.as_("ming").post(f"/v1/revisions/{one['id']}/test")).json()["job"] == "gate-1"
    assert asked == [("gate", [one["id"]])]
    await house.as_("ming").post(f"/v1/revisions/{one['id']}/reject")
    assert (await house.as_("ming").post(f"/v1/revisions/{one['id']}/test")).status_code == 409
