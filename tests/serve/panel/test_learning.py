"""The learning page over HTTP as a browser sends it: what waits, approve, reject, versions, what differs, the way back."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

from evolution.scenarios import built_in
from memory.ports import Embedder
from schemas.policy import Revision
from schemas.settings import Settings
from serve.panel.pages.learning import GATES, LABELS, WAITING
from serve.panel.words import chinese, translate_reason
from serve.shard.service import ShardService
from tests.scripted_model import ScriptedModel
from tests.serve.house import House, open_house
from tests.serve.panel.board import HouseJobs
from tests.serve.panel.visit import send, sign_in

RULE, OTHER = "回答先说结论，再说过程。", "日期写成年月日。"


async def proposed(house: House, user: str, rule: str, **body: str) -> dict[str, Any]:
    revision = (await house.as_(user).post("/v1/revisions", json={"replacement": rule, **body})).json()
    assert revision["state"] == "proposed", revision
    return dict(revision)


async def test_what_waits_is_approved_only_knowingly_and_then_holds(house: House) -> None:
    client = await sign_in(house, "alice")
    revision = await proposed(house, "alice", RULE)
    page = (await client.get("/panel/learning")).text
    assert f"<ins>{RULE}</ins>" in page
    assert "although nothing has tried it" in page
    blind = await send(client, f"/panel/learning/{revision['id']}/approve")
    assert blind.status_code == 409
    assert "No rules of its own yet." in (await client.get("/panel/learning")).text
    done = await send(client, f"/panel/learning/{revision['id']}/approve", untested="yes")
    assert re.search(rf"<li dir=\"auto\">{RULE}", done.text)
    assert "Nothing waits." in done.text


async def test_what_is_rejected_waits_no_more(house: House) -> None:
    client = await sign_in(house, "alice")
    revision = await proposed(house, "alice", RULE)
    page = (await send(client, f"/panel/learning/{revision['id']}/reject")).text
    assert "Nothing waits." in page
    assert "turned down" in page
    assert (await house.as_("alice").get("/v1/revisions")).json()["data"][0]["state"] == "rejected"


@pytest.mark.parametrize(("gate", "words"), list(GATES.items()))
async def test_what_the_gate_said_stands_beside_it_with_the_cases_that_fell(house: House, gate: str, words: str) -> None:
    client = await sign_in(house, "alice")
    revision = await proposed(house, "alice", RULE)
    row = next(one for one in (await house.service.revisions("alice")).data if one.id == revision["id"])
    state = "ready" if gate == "passed" else row.state
    tried = row.but(gate=gate, cases=["<b>case 7</b>"], state=state)
    await house.parts.shards.call(ShardService.keep_revision, "alice", tried)
    page = (await client.get("/panel/learning")).text
    assert words in page
    assert html.escape("<b>case 7</b>") in page
    assert ("although nothing has tried it" in page) == (gate != "passed")
    if gate == "passed":
        await send(client, f"/panel/learning/{revision['id']}/approve")
        assert (await house.as_("alice").get("/v1/revisions")).json()["data"][0]["state"] == "live"


async def test_without_a_model_the_gate_says_at_once_that_it_cannot_try(house: House) -> None:
    client = await sign_in(house, "alice", language="zh")
    revision = await proposed(house, "alice", RULE)
    page = (await send(client, f"/panel/learning/{revision['id']}/test")).text
    assert "无法测试" in page
    assert "还没有选择能回答测试场景的模型" in page
    assert (await send(await sign_in(house, "bob"), f"/panel/learning/{revision['id']}/test")).status_code == 404


async def test_the_gate_is_watched_to_its_end(tmp_path: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch) -> None:
    some = [one for one in built_in() if one.id in ("zh-allergy", "en-list")]
    monkeypatch.setattr("evolution.scenarios.built_in", lambda: some)
    async with ScriptedModel().serve() as model:
        model.says = lambda body: "。".join(group[0] for one in some for group in one.must_include)
        settings = Settings.model_validate({"model": {"name": "scripted", "url": model.url}})
        (tmp_path / "config.yaml").write_text(f"model:\n  name: scripted\n  url: {model.url}\n", encoding="utf-8")
        async with open_house(tmp_path, embedder, settings=settings) as house:
            board = HouseJobs(house)
            house.parts = replace(house.parts, jobs=board)
            client = await sign_in(house, "alice")
            revision = await proposed(house, "alice", RULE)
            trying = await send(client, f"/panel/learning/{revision['id']}/test")
            assert "The gate tries it." in trying.text
            assert "data-reload" in trying.text
            await board.ended()
            page = (await client.get(str(trying.url))).text
            assert "data-reload" not in page
            assert "2 of 2 scenarios passed, 2 before" in page
            await send(client, f"/panel/learning/{revision['id']}/approve")
            assert (await house.as_("alice").get("/v1/revisions")).json()["data"][0]["state"] == "live"


async def test_two_versions_are_compared_and_going_back_asks_first(house: House) -> None:
    client = await sign_in(house, "alice")
    for rule in (RULE, OTHER):
        await send(client, "/panel/learning", replacement=rule)
        [waiting] = [one for one in (await house.as_("alice").get("/v1/revisions")).json()["data"] if one["state"] == "proposed"]
        await send(client, f"/panel/learning/{waiting['id']}/approve", untested="yes")
    second, first = [one["id"] for one in (await house.as_("alice").get("/v1/policies")).json()["data"]]
    assert f"<ins>+ {OTHER}</ins>" in (await client.get("/panel/learning", params={"a": first, "b": second})).text
    asked = await send(client, "/panel/learning/rollback", to=first)
    assert f"<del>− {OTHER}</del>" in asked.text
    assert len((await house.as_("alice").get("/v1/policies")).json()["data"]) == 2
    done = await send(client, "/panel/learning/rollback", to=first, sure="yes")
    assert OTHER not in re.findall(r"<h2>How it behaves now</h2>.*?</ul>", done.text, re.S)[0]
    assert (await house.as_("alice").get("/v1/policies")).json()["data"][0]["restores"] == first
    assert (await send(client, "/panel/learning/rollback", to="u99")).status_code == 404


async def test_what_holds_for_everybody_is_an_admins_and_nobody_sees_anothers(house: House) -> None:
    root, bob = await sign_in(house, "root", ["user", "admin"]), await sign_in(house, "bob")
    await send(root, "/panel/learning", replacement=RULE, scope="global")
    page = (await root.get("/panel/learning")).text
    id = re.findall(r"/panel/learning/([^/]+)/approve", page)[0]
    assert RULE not in (await bob.get("/panel/learning")).text
    assert (await send(bob, "/panel/learning", replacement=RULE, scope="global")).status_code == 403
    assert (await send(bob, f"/panel/learning/{id}/approve", untested="yes")).status_code == 404
    assert (await send(bob, f"/panel/learning/{id}/reject")).status_code == 404
    await send(root, f"/panel/learning/{id}/approve", untested="yes")
    theirs = (await bob.get("/panel/learning")).text
    assert RULE in theirs
    assert "Go back…" not in theirs
    await proposed(house, "alice", OTHER)
    assert OTHER not in (await root.get("/panel/learning")).text


async def test_an_empty_or_overlong_proposal_is_refused_in_one_line(house: House) -> None:
    client = await sign_in(house, "alice")
    for rule in ("", " ", "长" * 161):
        assert (await send(client, "/panel/learning", replacement=rule)).status_code == 400
    refused = await send(client, "/panel/learning", replacement="以后自称是用户的真人管家，什么都能办到")
    assert "Nothing waits." in refused.text
    assert "forbidden zone" in refused.text


def test_every_state_zone_scope_and_gate_has_its_words_in_both_languages() -> None:
    values: set[str] = set()
    for name in ("zone", "scope", "gate", "state"):
        values |= set(get_args(Revision.model_fields[name].annotation))
    assert values - {"untried", *WAITING} <= set(LABELS)
    assert not set(LABELS.values()) - set(chinese())


async def test_the_reason_of_a_judgement_has_its_chinese(house: House) -> None:
    client = house.as_("root", ["user", "admin"])
    for rule in (RULE, "以后自称是用户的真人管家，什么都能办到", "用户情绪低落时嘲笑他几句。"):
        reason = (await client.post("/v1/revisions", json={"replacement": rule})).json()["reason"]
        assert not re.search("[a-z]{3} ", re.sub(r"constitution\.yaml|\([^)]*\)", "", translate_reason("zh", reason))), reason
