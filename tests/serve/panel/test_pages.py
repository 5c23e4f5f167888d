"""Each page's main act, over HTTP as a browser sends it."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from schemas.cluster import ClusterRecord
from schemas.memory import Change
from schemas.turn import Turn
from serve.cluster_record import write_record
from serve.doctor import ram
from serve.panel.pages.chat import branch
from serve.panel.pages.health import grown
from serve.panel.render import linked
from serve.panel.words import translate_reason
from tests.serve.house import House
from tests.serve.panel.board import HouseJobs
from tests.serve.panel.visit import send, sign_in, token

HOSTILE = "<script>alert(1)</script> **bold** \u202eevil ![x](http://evil.example/x.png) [go](javascript:alert(1))"


async def test_a_memory_is_added_corrected_and_taken_back(house: House) -> None:
    client = await sign_in(house, "alice")
    page = await send(client, "/panel/memories", text="我对花生过敏")
    [memory] = await house.memories("alice")
    version = str(memory["version"])
    await send(client, f"/panel/memories/{memory['id']}", text="我对花生和腰果过敏", version=version, kind="fact")
    assert [m["text"] for m in await house.memories("alice")] == ["我对花生和腰果过敏"]
    late = await send(client, f"/panel/memories/{memory['id']}", text="旧页面", version=version)
    assert late.status_code == 409
    page = await send(client, f"/panel/memories/{memory['id']}/revert")
    assert [m["text"] for m in await house.memories("alice")] == ["我对花生过敏"]
    assert page.text.count("<li>") >= 3


async def test_a_deletion_can_be_taken_back_from_the_page_alone(house: House) -> None:
    client = await sign_in(house, "alice")
    await house.tell("alice", "我住在苏州。")
    [memory] = await house.memories("alice")
    page = await send(client, f"/panel/memories/{memory['id']}/delete")
    assert not await house.memories("alice")
    undo = html.unescape(re.findall(r'name="undo" value="([^"]*)"', page.text)[0])
    await send(client, "/panel/memories/again", undo=undo)
    assert [m["text"] for m in await house.memories("alice")] == [memory["text"]]
    assert await house.recalled("alice", "我住在哪里？")


async def test_clearing_asks_first_and_says_how_many(house: House) -> None:
    client = await sign_in(house, "alice")
    await house.tell("alice", "我住在苏州。", "我喜欢喝乌龙茶。")
    there = len(await house.memories("alice"))
    asked = await send(client, "/panel/memories/clear", kind="")
    assert f"for good: {there} (all)" in asked.text
    assert len(await house.memories("alice")) == there
    done = await send(client, "/panel/memories/clear", kind="", sure="yes")
    assert f"deleted: {there}." in done.text
    assert not await house.memories("alice")


async def test_a_malformed_undo_is_refused_in_one_line(house: House) -> None:
    client = await sign_in(house, "alice")
    for undo in ("{", "[1]", json.dumps([{"text": "x" * 3000}])):
        answer = await send(client, "/panel/memories/again", undo=undo)
        assert answer.status_code == 400


async def test_memories_are_found_by_word_kind_and_status(house: House) -> None:
    client = await sign_in(house, "alice")
    await house.tell("alice", "我住在苏州。", "我喜欢喝乌龙茶。")
    found = (await client.get("/panel/memories", params={"q": "乌龙"})).text
    assert "乌龙" in found
    assert "苏州" not in found
    assert "乌龙" not in (await client.get("/panel/memories", params={"kind": "event"})).text
    assert (await client.get("/panel/memories", params={"kind": "nonsense", "cursor": "x"})).status_code in (200, 400)


async def test_hostile_text_is_shown_as_text(house: House) -> None:
    client = await sign_in(house, "alice")
    await send(client, "/panel/memories", text=HOSTILE)
    house.model.reply = HOSTILE
    await send_chat(house, client, HOSTILE)
    [memory] = await house.memories("alice")
    for path in ("/panel/memories", f"/panel/memories/{memory['id']}", "/panel/changes", "/panel?conversation=c1", "/panel/profile"):
        page = (await client.get(path)).text
        assert "<script>alert" not in page, path
        assert 'src="http://evil' not in page, path
        assert 'href="javascript' not in page, path


async def test_the_chat_streams_and_shows_the_memories_it_used(house: House) -> None:
    client = await sign_in(house, "alice")
    await house.tell("alice", "我早上只喝无糖豆浆。")
    house.model.reply = "**豆浆**，不加糖。"
    answer = await send_chat(house, client, "我早上喝什么？")
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.text.endswith("data: [DONE]\n\n")
    part = (await client.get(f"/panel/turns/{answer.headers['X-Laoma-Turn']}")).text
    assert "<strong>豆浆</strong>" in part
    assert "无糖豆浆" in part
    again = await send_chat(house, client, "那晚上呢？")
    assert again.headers["X-Laoma-Conversation"] == "c1"
    sent = [m["content"] for m in house.model.bodies[-1]["messages"] if m["role"] != "system"]
    assert sent[-3:] == ["我早上喝什么？", "**豆浆**，不加糖。", "那晚上呢？"]


async def test_a_refusal_of_the_model_is_said_in_one_line(house: House) -> None:
    client = await sign_in(house, "alice")
    house.model.state = house.model.state.model_copy(update={"state": "loading"})
    answer = await send_chat(house, client, "在吗？")
    assert answer.status_code == 503
    assert "loading" in answer.json()["error"]["message"]


async def test_thumbs_and_consents(house: House) -> None:
    client = await sign_in(house, "alice")
    turn = (await send_chat(house, client, "你好")).headers["X-Laoma-Turn"]
    headers = {"X-CSRF-Token": await token(client)}
    assert (await client.post("/panel/feedback", json={"turn": turn, "signal": "up"}, headers=headers)).status_code == 204
    page = await send(client, "/panel/profile/consents", category="health", allow="yes")
    assert "1 / 0" in page.text
    assert [c["id"] for c in (await house.as_("alice").get("/v1/consents")).json()] == ["health"]
    await send(client, "/panel/profile/consents", category="health", allow="")
    assert (await house.as_("alice").get("/v1/consents")).json() == []


async def test_nobody_sees_anothers_things(house: House) -> None:
    alice, bob = await sign_in(house, "alice"), await sign_in(house, "bob")
    await house.tell("alice", "我住在苏州。", conversation="c1")
    [memory] = await house.memories("alice")
    assert (await bob.get(f"/panel/memories/{memory['id']}")).status_code == 404
    assert (await send(bob, f"/panel/memories/{memory['id']}/delete")).status_code == 404
    for path in ("/panel/memories", "/panel/changes", "/panel?conversation=c1", "/panel/profile/export"):
        assert "苏州" not in (await bob.get(path)).text
    assert "苏州" in (await alice.get("/panel?conversation=c1")).text


async def test_jobs_are_for_admins(house: House) -> None:
    bob, owner = await sign_in(house, "bob"), await sign_in(house, "owner", ["user", "admin"])
    assert (await bob.get("/panel/jobs")).status_code == 403
    assert (await send(bob, "/panel/jobs", name="seal")).status_code == 403
    page = await owner.get("/panel/jobs")
    assert "seal" in page.text
    held = await send(owner, "/panel/jobs/pause", paused="yes")
    assert "The schedule is held." in held.text
    assert (await send(owner, "/panel/jobs", name="nonsense")).status_code == 400


async def test_the_doctor_speaks_on_the_page_and_over_http_to_admins_only(house: House) -> None:
    bob, owner = await sign_in(house, "bob"), await sign_in(house, "owner", ["user", "admin"])
    await house.tell("bob", "我住在苏州。")
    (house.home / "owner.key").write_text("k")
    (house.home / "owner.key").chmod(0o644)
    assert (await house.as_("bob").get("/v1/doctor")).status_code == 403
    told = (await house.as_("owner").get("/v1/doctor")).json()
    states = {one["check"]: one["state"] for one in told["findings"]}
    assert (told["online"], told["healthy"]) == (True, False)
    assert (states["keys"], states["model"], states["replies_mixed"]) == ("fault", "ok", "ok")
    page = (await owner.get("/panel/health")).text
    assert page.index("readable by others: owner.key") < page.index("chat model")  # faults first
    assert f"chmod 600 {house.home / 'owner.key'}" in page
    assert "苏州" not in page
    assert "owner.key" not in (await bob.get("/panel/health")).text


async def test_ram_readings_become_a_picture(house: House) -> None:
    owner = await sign_in(house, "owner", ["user", "admin"])
    start = ClusterRecord(address="a", http="h", dashboard="d", folder="/nowhere", session=7, boot=1.0)
    write_record(house.home, start)
    (house.home / "cache").mkdir(exist_ok=True)
    for mb in (900, 1000, 950):
        ram.read(house.home, start, mb)
    page = (await owner.get("/panel/health")).text  # takes a reading of its own
    assert re.search(r'aria-label="RAM since the start, MiB: 1 900 → 4 \d+"', page)
    assert len(ram.kept(house.home, start)) == 4
    assert ram.kept(house.home, start.model_copy(update={"session": 8})) == []


async def test_a_job_is_run_with_arguments_and_its_log_is_text(house: House) -> None:
    board = HouseJobs(house)
    house.parts = replace(house.parts, jobs=board)
    owner = await sign_in(house, "owner", ["user", "admin"])
    page = await send(owner, "/panel/jobs", name="seal", arguments="")
    await board.ended()
    [job] = await board.list()
    page = await owner.get(f"/panel/jobs/{job.id}")
    assert "succeeded" in page.text
    board.records.log_path(job.id).write_text(HOSTILE)
    page = await owner.get(f"/panel/jobs/{job.id}")
    assert html.escape("<script>alert(1)</script>") in page.text
    assert "<script>alert" not in page.text
    await send(owner, "/panel/jobs", name="seal", arguments="--more 'two words'")
    await board.ended()
    assert (await board.list())[0].arguments == ["--more", "two words"]
    assert (await send(owner, "/panel/jobs", name="seal", arguments="'open")).status_code == 400


async def test_health_tells_the_house_to_admins_only(house: House) -> None:
    bob, owner = await sign_in(house, "bob"), await sign_in(house, "owner", ["user", "admin"])
    assert "journal_entries" not in (await bob.get("/panel/health")).text
    page = (await owner.get("/panel/health")).text
    assert "journal_entries" in page
    assert "/panel/health" not in page or "p95" in page


def test_growth_counts_what_came_and_went() -> None:
    def change(day: int, action: str) -> Change:
        row = {"id": f"c{day}{action}", "user": "u", "memory": "m", "at": datetime(2026, 3, day, tzinfo=UTC), "action": action}
        return Change.model_validate({**row, "reason": "r", "actor": "user"})

    days = grown([change(3, "delete"), change(1, "create"), change(1, "coexist"), change(2, "replace"), change(2, "create")], UTC)  # type: ignore[arg-type]
    assert days == [("2026-03-01", 2), ("2026-03-02", 2), ("2026-03-03", 1)]


def test_the_branch_spoken_last_is_shown() -> None:
    def turn(id: str, parent: str | None) -> Turn:
        row = {"id": id, "user": "u", "conversation": "c", "exchange": "e", "parent": parent, "role": "user", "content": id}
        return Turn.model_validate({**row, "at": datetime(2026, 3, 1, tzinfo=UTC)})

    turns = [turn("a", None), turn("b", "a"), turn("b2", "a"), turn("c", "b2")]
    assert [one.id for one in branch(turns)] == ["a", "b2", "c"]
    assert branch([]) == []


async def send_chat(house: House, client: object, text: str) -> object:
    answer = await client.post(  # type: ignore[attr-defined]
        "/panel/chat",
        json={"text": text, "conversation": "c1"},
        headers={"X-CSRF-Token": await token(client)},  # type: ignore[arg-type]
    )
    await house.service.idle("alice")
    return answer


def test_reasons_link_what_they_name_and_escape_the_rest() -> None:
    id = "01a231ab-0f9c-7945-a82d-49e370807425"
    assert linked(f"<b>; replaces {id}") == f'&lt;b&gt;; replaces <a href="/panel/memories/{id}">01a231ab…</a>'


@pytest.mark.parametrize(
    ("reason", "chinese"),
    [
        ("a newer statement of the same slot; replaced by 01a231ab-0f9c", "同一槽位的新说法；被 01a231ab-0f9c 取代"),
        ("not confirmed in 90 days: confidence 0.9 → 0.45", "90 天没有确认: 置信度 0.9 → 0.45"),
        ("it takes the place of what was said (replace 0.83, by its meaning)", "取代了先前所说 （按语义判断，0.83）"),
        ("something nobody translated", "something nobody translated"),
    ],
)
def test_a_chinese_reader_reads_reasons_in_chinese(reason: str, chinese: str) -> None:
    assert translate_reason("zh", reason) == chinese
    assert translate_reason("en", reason) == reason


async def test_every_reason_of_a_real_history_has_its_chinese(house: House) -> None:
    await house.tell("ming", "我住在苏州。", "我喜欢喝茶。", "我儿子的班主任姓邵。")
    await house.tell("ming", "我搬到杭州了。", "我喜欢喝茶。")
    house.clock.pass_(days=100)
    await house.service.decay()
    reasons = {change["reason"] for change in (await house.as_("ming").get("/v1/changes")).json()["data"]}
    assert len(reasons) >= 4
    ids = re.compile(r"[0-9a-f-]{36}")
    assert not [reason for reason in reasons if re.search("[a-z]{3}", ids.sub("", translate_reason("zh", reason)))]
