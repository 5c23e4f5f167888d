"""Memories over HTTP: list, read, correct, revert, delete, clear."""

from __future__ import annotations

import json

import pyarrow.parquet as pq

from lake.sql import connect
from tests.serve.house import House


async def told(house: House, text: str) -> str:
    return str((await house.tell("ming", text))["memories"][0])


async def test_a_correction_is_found_at_once_and_the_old_text_no_longer(house: House) -> None:
    id = await told(house, "My dentist is Dr. Pell.")
    answer = await house.as_("ming").patch(f"/v1/memories/{id}", json={"text": "My dentist is Dr. Quill."}, headers={"If-Match": '"1"'})
    assert answer.status_code == 200
    assert (answer.json()["version"], answer.json()["previous"]) == (2, "My dentist is Dr. Pell")
    assert await house.memories("ming", q="Pell") == []
    assert await house.recalled("ming", "who is my dentist?") == ["My dentist is Dr. Quill."]


async def test_a_stale_version_is_refused_and_changes_nothing(house: House) -> None:
    id = await told(house, "我喜欢喝乌龙茶。")
    client = house.as_("ming")
    await client.patch(f"/v1/memories/{id}", json={"text": "我喜欢喝红茶"})
    answer = await client.patch(f"/v1/memories/{id}", json={"text": "我喜欢喝绿茶"}, headers={"If-Match": "1"})
    assert answer.status_code == 409
    assert answer.json()["error"]["code"] == "version_conflict"
    assert (await client.get(f"/v1/memories/{id}")).json()["memory"]["text"] == "我喜欢喝红茶"


async def test_a_revert_brings_the_earlier_wording_back_as_a_new_version(house: House) -> None:
    id = await told(house, "我喜欢喝乌龙茶。")
    client = house.as_("ming")
    await client.patch(f"/v1/memories/{id}", json={"text": "我喜欢喝红茶"})
    answer = await client.post(f"/v1/memories/{id}/revert")
    assert (answer.json()["text"], answer.json()["version"]) == ("我喜欢喝乌龙茶", 3)
    assert (await client.post(f"/v1/memories/{id}/revert", json={"version": 99})).status_code == 404


async def test_a_deleted_memory_is_gone_from_recall_search_and_history(house: House) -> None:
    id = await told(house, "我的血型是 O 型。")
    client = house.as_("ming")
    assert await house.recalled("ming", "我的血型")
    assert (await client.delete(f"/v1/memories/{id}")).json() == {"deleted": True, "count": 1}
    assert await house.recalled("ming", "我的血型") == []
    assert (await client.get(f"/v1/memories/{id}")).status_code == 404
    changes = (await client.get("/v1/changes")).json()["data"]
    assert "血型" not in str(changes)
    assert changes[0]["action"] == "delete"


async def test_a_deleted_statement_comes_back_only_when_it_is_said_anew(house: House) -> None:
    id = await told(house, "我的血型是 O 型。")
    await house.as_("ming").delete(f"/v1/memories/{id}")
    house.clock.pass_(hours=1)
    await house.tell("ming", "我的血型是 O 型。")
    assert len(await house.memories("ming")) == 1


async def test_clearing_needs_a_kind_or_all_and_spares_the_rest(house: House) -> None:
    await house.tell("ming", "我叫周明。", "我喜欢喝乌龙茶。")
    client = house.as_("ming")
    assert (await client.delete("/v1/memories")).status_code == 400
    assert (await client.delete("/v1/memories", params={"kind": "preference"})).json()["count"] == 1
    assert [memory["text"] for memory in await house.memories("ming")] == ["我叫周明"]
    assert (await client.delete("/v1/memories", params={"all": "true"})).json()["count"] == 1


async def test_pages_follow_the_cursor_without_gaps_or_repeats(house: House) -> None:
    await house.tell("ming", *[f"我喜欢吃{thing}。" for thing in ("苹果", "梨", "桃子", "葡萄", "西瓜")])
    client = house.as_("ming")
    seen: list[str] = []
    cursor: str | None = None
    for _ in range(4):
        page = (await client.get("/v1/memories", params={"limit": 2} | ({"cursor": cursor} if cursor else {}))).json()
        seen += [memory["id"] for memory in page["data"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert len(seen) == len(set(seen)) == 5
    assert (await client.get("/v1/memories", params={"cursor": "nonsense"})).status_code == 400


async def test_a_statement_handed_over_is_kept_as_written_and_once(house: House) -> None:
    client = house.as_("ming")
    snippet = 'remember my snippet: std::regex r("\\\\d+\\"x\\""); // 正则 👨‍👩‍👧‍👦①２５℃'
    first = await client.post("/v1/memories", json={"text": snippet})
    assert first.status_code == 201
    assert first.json()["text"] == snippet
    assert (await client.post("/v1/memories", json={"text": snippet})).json()["id"] == first.json()["id"]
    assert [memory["text"] for memory in await house.memories("ming")] == [snippet]


async def test_a_secret_handed_over_is_refused(house: House) -> None:
    answer = await house.as_("ming").post("/v1/memories", json={"text": "我的银行卡号是 4111 1111 1111 1111"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "never_stored")


async def test_the_profile_shows_attributes_and_preferences(house: House) -> None:
    await house.tell("ming", "我叫周明。", "我喜欢喝乌龙茶。")
    profile = (await house.as_("ming").get("/v1/profile")).json()
    assert "周明" in str(profile["attributes"])
    assert [one["text"] for one in profile["preferences"]] == ["我喜欢喝乌龙茶"]
    assert (profile["behaviour"]["conversations"], profile["behaviour"]["mean_exchanges"]) == (1, 2.0)


async def test_a_deleted_statement_leaves_the_histories_of_what_it_replaced_and_what_replaced_it(house: House) -> None:
    await house.tell("ming", "我住在杭州。")
    house.clock.pass_(days=1)
    await house.tell("ming", "我现在搬到北京了。")
    client = house.as_("ming")
    retired = (await house.memories("ming", status="deprecated"))[0]
    assert retired["text"] == "我住在杭州"
    await client.delete(f"/v1/memories/{retired['id']}")
    lines = (await client.get("/v1/export")).text.splitlines()
    assert not [line for line in lines if "杭州" in line and json.loads(line)["table"] in ("memories", "changes", "tombstones")]
    current = (await house.memories("ming"))[0]
    assert "北京" in current["text"]
    await client.delete(f"/v1/memories/{current['id']}")
    assert "北京" not in (await client.get("/v1/changes")).text


async def test_an_old_log_read_late_does_not_retire_what_is_known_now(house: House) -> None:
    await house.tell("ming", "我住在杭州。")
    body = {"messages": [{"role": "user", "content": "我住在北京。", "at": "2022-01-01T00:00:00Z"}], "wait": True}
    await house.as_("ming").post("/v1/turns", json=body)
    assert [memory["text"] for memory in await house.memories("ming")] == ["我住在杭州"]
    earlier = (await house.memories("ming", status="deprecated"))[0]
    assert (earlier["text"], earlier["valid_from"][:4]) == ("我住在北京", "2022")


async def test_a_secret_in_a_comment_is_masked(house: House) -> None:
    answer = await house.chat("ming", {"role": "user", "content": "你好"})
    body = {"turn": answer.headers["X-Laoma-Turn"], "signal": "down", "comment": "我的身份证号是11010519491231002X"}
    assert (await house.as_("ming").post("/v1/feedback", json=body)).status_code == 201
    assert "11010519491231002X" not in (await house.as_("ming").get("/v1/export")).text


async def test_a_secret_in_a_slot_or_scene_is_refused_too(house: House) -> None:
    client = house.as_("ming")
    for field in ("key", "scene"):
        answer = await client.post("/v1/memories", json={"text": "我爱酒", field: "身份证 11010519491231002X"})
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "never_stored")
    id = await told(house, "我喜欢喝乌龙茶。")
    assert (await client.patch(f"/v1/memories/{id}", json={"scene": "密码是 hunter2$x"})).status_code == 400


async def test_nothing_visible_is_no_memory(house: House) -> None:
    for text in ("\u200b", "。", "\u202e", "\x00"):
        assert (await house.as_("ming").post("/v1/memories", json={"text": text})).status_code == 400


async def test_no_wording_that_a_deleted_memory_ever_had_is_learnt_from_old_words(house: House) -> None:
    old = {"messages": [{"role": "user", "content": "我对花生过敏。", "at": "2025-01-01T00:00:00Z"}], "wait": True}
    client = house.as_("ming")
    id = (await client.post("/v1/turns", json=old)).json()["memories"][0]
    for change in ({"text": "我对腰果过敏"}, {"text": "我对坚果过敏"}, {"key": "健康/其他"}):
        await client.patch(f"/v1/memories/{id}", json=change)
    await client.delete(f"/v1/memories/{id}")
    await client.post("/v1/turns", json=old)
    assert await house.memories("ming") == []


async def test_deletion_by_a_filter_that_is_not_known_deletes_nothing(house: House) -> None:
    await house.tell("ming", "我喜欢喝乌龙茶。")
    answer = await house.as_("ming").delete("/v1/memories", params={"all": "true", "q": "龙井"})
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "q")
    assert len(await house.memories("ming")) == 1


async def test_two_rows_never_say_the_same(house: House) -> None:
    client = house.as_("ming")
    first, second = await told(house, "我喜欢喝乌龙茶。"), await told(house, "我喜欢看科幻小说。")
    for text in ("我喜欢喝乌龙茶", "我喜欢喝乌龙茶。 "):
        answer = await client.patch(f"/v1/memories/{second}", json={"text": text})
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "duplicate_memory")
        assert first in answer.json()["error"]["message"]
    assert len({row["text"] for row in await house.memories("ming")}) == 2
    assert (await client.patch(f"/v1/memories/{first}", json={"text": "我喜欢喝乌龙茶。"})).status_code == 200, "its own words"
    await client.patch(f"/v1/memories/{first}", json={"text": "我喜欢喝红茶"})
    assert (await client.patch(f"/v1/memories/{second}", json={"text": "我喜欢喝乌龙茶"})).status_code == 200
    answer = await client.post(f"/v1/memories/{first}/revert", json={})
    assert (answer.status_code, second in answer.json()["error"]["message"]) == (409, True)


async def test_the_words_of_a_deleted_memory_leave_the_sealed_logs_at_once(house: House) -> None:
    client = house.as_("ming")
    id = await told(house, "My dentist is Dr. Pell.")
    await client.patch(f"/v1/memories/{id}", json={"text": "My dentist is Dr. Quill."})
    kept = await told(house, "我喜欢喝乌龙茶。")
    house.clock.pass_(days=3)
    await house.service.seal()

    def sealed() -> str:
        return "".join(
            str(pq.read_table(path, partitioning=None).to_pylist()) for path in (house.home / "logs" / "events").rglob("*.parquet")
        )

    assert ("Quill" in sealed(), "Pell" in sealed()) == (True, True)
    assert (await client.delete(f"/v1/memories/{id}")).status_code == 200
    assert ("Quill" in sealed(), "Pell" in sealed(), "乌龙茶" in sealed()) == (False, False, True)
    house.service._resources.store.flush()
    lake = connect(house.home)
    for view in ("events", "changes"):
        assert lake.execute(f"SELECT count(*) FROM {view} WHERE \"before\" LIKE '%ll%' OR \"after\" LIKE '%ll%'").fetchall() == [(0,)]
    changes = [line for line in (await client.get("/v1/export")).text.splitlines() if '"table": "changes"' in line]
    assert not [line for line in changes if "Quill" in line or "Pell" in line]
    assert [row["id"] for row in await house.memories("ming")] == [kept]


async def test_the_slot_follows_a_changed_text_and_goes_back_with_it(house: House) -> None:
    client = house.as_("ming")
    id = await told(house, "我对花生过敏。")
    assert (await client.patch(f"/v1/memories/{id}", json={"text": "我对腰果过敏"})).json()["key"] == "健康/过敏/腰果"
    assert (await client.post(f"/v1/memories/{id}/revert")).json()["key"] == "健康/过敏/花生"
    home = await told(house, "我住在杭州。")
    edited = (await client.patch(f"/v1/memories/{home}", json={"text": "我喜欢喝红茶"})).json()
    assert (edited["kind"], edited["key"]) == ("preference", "偏好/红茶")


async def test_a_slot_that_the_user_named_stays_when_the_text_changes(house: House) -> None:
    client = house.as_("ming")
    named = {"key": "家/钥匙", "scene": "旅行", "kind": "fact"}
    id = (await client.post("/v1/memories", json={"text": "备用钥匙在花盆下", **named})).json()["id"]
    edited = (await client.patch(f"/v1/memories/{id}", json={"text": "备用钥匙在邻居那里"})).json()
    assert {name: edited[name] for name in named} == named
    wanted = {"text": "我住在苏州", "key": "资料/老家"}
    assert (await client.patch(f"/v1/memories/{id}", json=wanted)).json()["key"] == "资料/老家"


async def test_what_was_replaced_is_not_corrected_nor_reverted(house: House) -> None:
    await house.tell("ming", "我住在杭州。")
    house.clock.pass_(days=1)
    await house.tell("ming", "我现在搬到北京了。")
    client = house.as_("ming")
    retired = (await house.memories("ming", status="deprecated"))[0]
    for answer in (
        await client.patch(f"/v1/memories/{retired['id']}", json={"priority": 1}),
        await client.post(f"/v1/memories/{retired['id']}/revert"),
    ):
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "memory_deprecated")
        assert "\n" not in answer.json()["error"]["message"]
    assert (await house.memories("ming", status="deprecated"))[0] == retired
    assert len(await house.memories("ming")) == 1


async def test_a_correction_that_changes_nothing_writes_nothing(house: House) -> None:
    client = house.as_("ming")
    id = await told(house, "我喜欢喝乌龙茶。")
    before = (await client.get(f"/v1/memories/{id}")).json()
    same = {name: before["memory"][name] for name in ("text", "kind", "key", "scene", "priority")}
    for body in ({}, same, {"text": before["memory"]["text"]}):
        answer = await client.patch(f"/v1/memories/{id}", json=body)
        assert (answer.status_code, answer.json()) == (200, before["memory"])
    assert (await client.get(f"/v1/memories/{id}")).json()["history"] == before["history"]


async def test_if_match_is_understood_in_all_its_forms(house: House) -> None:
    client = house.as_("ming")
    id = await told(house, "我喜欢喝乌龙茶。")
    place = f"/v1/memories/{id}"
    tag = (await client.get(place)).headers["ETag"]
    assert tag == '"1"'
    for fits in ("1", tag, f"W/{tag}", '"7", "1"', 'W/"7",W/"1"', "*"):
        answer = await client.patch(place, json={"text": "我喜欢喝乌龙茶"}, headers={"If-Match": fits})
        assert (answer.status_code, answer.headers["ETag"]) == (200, tag), fits
    for stale in ("2", '"2"', 'W/"2"', '"7", "2"'):
        answer = await client.patch(place, json={"text": "我喜欢喝红茶"}, headers={"If-Match": stale})
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "version_conflict"), stale
    for odd in ("", "one", '"1', "W/", '"1", x', "-1", '"1" "2"', "9" * 40):
        answer = await client.patch(place, json={"text": "我喜欢喝红茶"}, headers={"If-Match": odd})
        assert (answer.status_code, answer.json()["error"]["param"]) == (400, "If-Match"), odd
