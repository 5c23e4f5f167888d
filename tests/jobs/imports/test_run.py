"""A whole import through HTTP: turns, the few memories, again, two at once, killed and resumed, undone, erased."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from schemas.turn import Turn
from serve.shard.service import ShardService
from tests.jobs.imports.house import JobsHere, with_jobs
from tests.serve.house import House


def export(*conversations: tuple[str, list[tuple[str, str, float | None]]]) -> bytes:
    """In ChatGPT's format: a chain of nodes a conversation."""
    told = []
    for id, said in conversations:
        mapping: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": ["n0"]}}
        for number, (role, text, at) in enumerate(said):
            message = {
                "id": f"n{number}",
                "author": {"role": role},
                "create_time": at,
                "content": {"content_type": "text", "parts": [text]},
                "recipient": "all",
            }
            below = [f"n{number + 1}"] if number + 1 < len(said) else []
            above = f"n{number - 1}" if number else "root"
            mapping[f"n{number}"] = {"id": f"n{number}", "message": message, "parent": above, "children": below}
        told.append(
            {
                "id": id,
                "conversation_id": id,
                "title": f"谈话{id}",
                "create_time": said[0][2],
                "update_time": said[-1][2],
                "mapping": mapping,
                "current_node": f"n{len(said) - 1}",
            }
        )
    return json.dumps(told, ensure_ascii=False).encode()


MAY = datetime(2025, 5, 6, 2, 0, tzinfo=UTC).timestamp()
OLD = export(
    (
        "a1",
        [
            ("user", "我对芒果过敏，吃了嗓子会肿。", MAY),
            ("assistant", "好的，以后我会避开芒果。你喜欢游泳吧？", MAY + 5),
            ("user", "今天天气怎么样？", MAY + 60),
            ("assistant", "晴天。", MAY + 65),
        ],
    ),
    (
        "a2",
        [
            ("user", "我的手机号是13800001234，我养了一只乌龟，叫慢慢。", MAY + 90000),
            ("assistant", "慢慢真可爱。", MAY + 90005),
        ],
    ),
)
WHERE = "/v1/imports"


async def brought(house: House, data: bytes = OLD, user: str = "lin", name: str = "conversations.json", **fields: str) -> httpx.Response:
    return await house.as_(user).post(WHERE, files={"files": (name, data)}, data={"wait": "true", **fields})


async def texts(house: House, user: str = "lin") -> list[str]:
    return sorted(memory["text"] for memory in await house.memories(user))


async def state(house: House, user: str = "lin") -> tuple[list[str], list[str]]:
    """Memories and turns, without ids and clocks."""
    turns = house.service._resources.store.rows(Turn, user)
    return await texts(house, user), sorted(f"{turn.id} {turn.content} {turn.extraction}" for turn in turns)


@pytest.fixture
def jobs(house: House) -> JobsHere:
    return with_jobs(house)


async def test_what_lasts_becomes_memories_and_everything_is_found(house: House, jobs: JobsHere) -> None:
    answer = await brought(house)
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert (told["state"], told["formats"], told["conversations"], told["turns"]) == ("done", ["chatgpt"], 2, 6)
    assert told["kept"]["turns_new"] == 6
    assert (told["kept"]["reply"], told["kept"]["nothing_lasting"], told["kept"]["masked"]) == (3, 1, 1)
    kept = await texts(house)
    assert any("芒果" in text for text in kept)
    assert any("慢慢" in text for text in kept)
    assert not any("游泳" in text or "天气" in text for text in kept), kept
    lin = house.as_("lin")
    assert "13800001234" not in (await lin.get("/v1/export")).text
    found = (await lin.post("/v1/turns/search", json={"query": "乌龟叫什么"})).json()
    assert "慢慢" in json.dumps(found, ensure_ascii=False)
    first = (await lin.get("/v1/conversations/chatgpt-a1")).json()
    assert [turn["origin"] for turn in first["turns"]] == ["import"] * 4
    assert datetime.fromisoformat(first["turns"][0]["at"]).timestamp() == MAY
    day = json.loads(first["conversation"]["summaries"][0])
    assert day["day"] == "2025-05-06"
    assert "芒果" in day["user_view"]
    log = jobs.logs_of["j0"].getvalue()
    assert "lin" not in log.split()
    assert "芒果" not in log


async def test_importing_again_adds_nothing(house: House, jobs: JobsHere) -> None:
    await brought(house)
    before = await state(house)
    again = (await brought(house, name="copy.json")).json()
    assert (again["kept"].get("turns_new", 0), again["kept"]["turns_known"]) == (0, 6)
    assert await state(house) == before


async def test_a_grown_export_adds_only_what_is_new(house: House, jobs: JobsHere) -> None:
    await brought(house)
    more = export(("a3", [("user", "我在学拉二胡。", MAY + 200000)]))
    both = json.dumps(json.loads(OLD) + json.loads(more), ensure_ascii=False).encode()
    assert (await brought(house, both)).json()["kept"]["turns_new"] == 1


async def test_two_at_once_store_everything_once(house: House, jobs: JobsHere) -> None:
    one, other = await asyncio.gather(brought(house), brought(house))
    assert one.status_code == other.status_code == 200
    assert one.json()["kept"].get("turns_new", 0) + other.json()["kept"].get("turns_new", 0) == 6
    kept = await texts(house)
    assert len(kept) == len(set(kept))


async def test_a_dry_run_shows_and_stores_nothing(house: House, jobs: JobsHere) -> None:
    told = (await brought(house, dry_run="true")).json()
    assert any("芒果" in one["text"] for one in told["would_keep"])
    assert await state(house) == ([], [])
    assert (await house.as_("lin").get("/v1/conversations")).json()["data"] == []
    others = await house.as_("bob").get(f"{WHERE}/{told['id']}")
    assert others.status_code == 404


async def test_undoing_leaves_what_was_there_before(house: House, jobs: JobsHere) -> None:
    await house.tell("lin", "我住在苏州。", "我喜欢喝乌龙茶。")
    before = await state(house)
    moved = export(
        (
            "b1",
            [("user", "我搬家了，现在住在无锡。", datetime(2026, 4, 1, tzinfo=UTC).timestamp()), ("user", "我喜欢喝乌龙茶。", MAY)],
        ),
        ("b2", [("user", "我对芒果过敏。", MAY)]),
    )
    told = (await brought(house, moved)).json()
    assert any("无锡" in text for text in await texts(house))
    undone = await house.as_("lin").delete(f"{WHERE}/{told['id']}")
    assert undone.json()["turns"] == 3
    assert await state(house) == before
    assert (await house.as_("lin").get(f"{WHERE}/{told['id']}")).json()["state"] == "undone"
    assert "无锡" not in (await house.as_("lin").get("/v1/export")).text
    again = (await brought(house, moved)).json()
    assert again["kept"]["turns_new"] == 3
    assert any("芒果" in text for text in await texts(house))


async def test_what_was_sealed_meanwhile_is_undone_too(house: House, jobs: JobsHere) -> None:
    told = (await brought(house)).json()
    await house.service.seal()
    assert (await house.as_("lin").delete(f"{WHERE}/{told['id']}")).json()["turns"] == 6
    found = await house.as_("lin").post("/v1/turns/search", json={"query": "芒果 乌龟"})
    assert "芒果" not in found.text
    assert all("芒果".encode() not in path.read_bytes() for path in house.home.glob("logs/**/*.parquet"))


async def test_killed_in_the_middle_it_goes_on(house: House, jobs: JobsHere, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = await brought(house, user="ming")
    assert whole.status_code == 200
    calls = 0
    decide = ShardService.bring_in

    async def dies(self: ShardService, user: str, brought: Any) -> dict[str, int]:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise asyncio.CancelledError
        return await decide(self, user, brought)

    monkeypatch.setattr("jobs.imports.run._TURNS", 1)
    monkeypatch.setattr(ShardService, "bring_in", dies)
    answer = await house.as_("lin").post(WHERE, files={"files": ("a.json", OLD)})
    id = answer.json()["id"]
    await asyncio.gather(*jobs.running, return_exceptions=True)
    told = (await house.as_("lin").get(f"{WHERE}/{id}")).json()
    assert told["state"] == "stopped"
    assert (await house.as_("lin").post(f"{WHERE}/{id}/resume")).status_code == 202
    await asyncio.gather(*jobs.running, return_exceptions=True)
    assert (await house.as_("lin").get(f"{WHERE}/{id}")).json()["state"] == "done"
    assert await texts(house) == await texts(house, "ming")
    assert list((house.home / "imports").glob("*")) == []


@pytest.mark.parametrize(("data", "words"), [(b"", "empty"), (b'{"a": 1}', "expected"), (OLD[:-20], "x.json"), (b"[[[[" * 5000, "nested")])
async def test_a_broken_file_is_refused_in_one_line(house: House, jobs: JobsHere, data: bytes, words: str) -> None:
    answer = await brought(house, data, name="x.json")
    assert answer.status_code == 400, answer.text
    message = answer.json()["error"]["message"]
    assert "x.json" in message
    assert words in message
    assert await state(house) == ([], [])
    assert list((house.home / "imports").glob("*")) == []


async def test_other_people_and_played_roles_are_nobodys_memories(house: House, jobs: JobsHere) -> None:
    talk = "2025-05-06 10:00:00 阿强\n我对花生过敏\n\n2025-05-06 10:01:00 林晚\n我对芒果过敏\n"
    told = (await brought(house, talk.encode(), name="微信.txt", me="林晚")).json()
    assert told["formats"] == ["wechat"], told
    kept = await texts(house)
    assert any("芒果" in text for text in kept)
    assert not any("花生" in text for text in kept)


async def test_an_erased_user_leaves_no_upload(house: House, jobs: JobsHere) -> None:
    told = (await brought(house, dry_run="true")).json()
    folder = house.home / "imports" / told["id"]
    assert folder.exists()
    assert (await house.as_("lin").delete("/v1/me", params={"user": "lin"})).status_code == 200
    assert not folder.exists()


async def test_an_id_leads_nowhere_else(house: House, jobs: JobsHere) -> None:
    for id in ("nope", "imp-1", "A.b", "x%20y"):
        assert (await house.as_("lin").delete(f"{WHERE}/{id}")).status_code in (404, 405)


async def test_a_file_name_is_no_path(house: House, jobs: JobsHere, tmp_path: Path) -> None:
    told = (await brought(house, name="../../evil.json")).json()
    assert told["files"] == ["evil.json"]
    assert not list(tmp_path.parent.glob("**/evil.json"))
