"""One user never sees another's: two users with near-identical data, every route of the app (R34)."""

from __future__ import annotations

from typing import Any

import pytest

from serve.keys import OWNER
from tests.serve.house import House

MARK = "青梅竹马Zulu7719"


async def furnish(house: House) -> dict[str, str]:
    """Alice's and Bob's houses look alike; only Alice's things carry the mark."""
    for user, mark in (("alice", MARK), ("bob", "红豆")):
        await house.tell(user, f"我最喜欢的咖啡馆是{mark}。", "我住在苏州。", conversation="main")
        answer = await house.chat(user, {"role": "user", "content": f"记住，我的猫叫{mark}"})
        await house.as_(user).post("/v1/feedback", json={"turn": answer.headers["X-Laoma-Turn"], "signal": "up"})
        await house.as_(user).put("/v1/consents", json={"category": "health"})
    alice = house.as_("alice")
    memory = (await house.memories("alice", q=MARK))[0]
    conversation = (await alice.get("/v1/conversations")).json()["data"][0]["id"]
    revision = (await alice.post("/v1/revisions", json={"replacement": f"称呼我为{MARK}。"})).json()
    turns = (await alice.get("/v1/conversations/main")).json()["turns"]
    return {
        "memory_id": memory["id"],
        "conversation_id": conversation,
        "turn_id": turns[0]["id"],
        "model": MARK,
        "job_id": "j1",
        "name": "n1",
        "import_id": "imp-1",
        "revision_id": revision["id"],
    }


BODIES: dict[str, Any] = {
    "/v1/turns": {"messages": [{"role": "user", "content": "我最喜欢的咖啡馆是哪家？"}], "conversation_id": "main", "wait": True},
    "/v1/turns/search": {"query": f"咖啡馆 猫 {MARK}"},
    "/v1/recall": {"query": "我最喜欢的咖啡馆，我的猫", "include_archived": True},
    "/v1/memories": {"text": "我喜欢散步"},
    "/v1/chat/completions": {"messages": [{"role": "user", "content": "我的猫叫什么？"}]},
    "/v1/embeddings": {"input": "咖啡馆"},
    "/v1/consents": {"category": "religion"},
    "/v1/jobs": {"name": "seal"},
    "/v1/schedule": {"paused": False},
}


async def test_no_route_shows_one_user_what_another_said(house: House) -> None:
    ids = await furnish(house)
    bob = house.as_("bob")
    paths = (await bob.get("/openapi.json")).json()["paths"]
    asked = 0
    for path, methods in paths.items():
        for method in methods:
            body = BODIES.get(path)
            if path == "/v1/feedback":
                body = {"turn": ids["turn_id"], "signal": "down"}
            elif method == "patch":
                body = {"text": "我改了"}
            params = {"category": "health"} if (path, method) == ("/v1/consents", "delete") else {}
            answer = await bob.request(method, path.format(**ids), json=body, params=params)
            echoed = answer.text.replace(f"No model '{MARK}'", "")
            assert MARK not in echoed, f"{method} {path}"
            assert answer.status_code < 500, f"{method} {path}: {answer.text}"
            if "{memory_id}" in path or "{turn_id}" in path:
                assert answer.status_code == 404, f"{method} {path}"
            asked += 1
    assert asked > 25
    assert MARK not in house.model.prompt()


async def test_what_one_user_clears_and_deletes_leaves_the_other_whole(house: House) -> None:
    await furnish(house)
    before = (await house.as_("alice").get("/v1/export")).text
    bob = house.as_("bob")
    assert (await bob.delete("/v1/conversations/main")).status_code == 200
    assert (await bob.delete("/v1/memories", params={"all": "true"})).status_code == 200
    assert (await house.as_("alice").get("/v1/export")).text == before


async def test_a_user_in_the_body_never_widens_access(house: House) -> None:
    await furnish(house)
    bob = house.as_("bob")
    for body in ({"query": "咖啡馆", "user_id": "alice"}, {"query": "咖啡馆", "filters": {"user_id": "alice"}}):
        assert (await bob.post("/v1/recall", json=body)).status_code == 400
        assert (await bob.post("/v1/turns/search", json=body)).status_code == 400
    await house.chat("bob", {"role": "user", "content": "我的猫叫什么？"}, user="alice")
    assert MARK not in house.model.prompt()


async def test_a_delegating_key_keeps_its_end_users_apart_and_reaches_no_real_user(house: House) -> None:
    await furnish(house)
    agent = house.as_("agent", ["user", "delegate"])
    for end in ("e1", "e2"):
        body = {"messages": [{"role": "user", "content": f"我叫{end}先生。"}], "wait": True}
        assert (await agent.post("/v1/turns", json=body, headers={"X-Laoma-User": end})).status_code == 200
    texts = [memory["text"] for memory in (await agent.get("/v1/memories", headers={"X-Laoma-User": "e1"})).json()["data"]]
    assert texts == ["我叫e1先生"]
    assert (await agent.get("/v1/memories", headers={"X-Laoma-User": "alice"})).json()["data"] == []
    assert (await house.as_("bob").get("/v1/memories", headers={"X-Laoma-User": "e1"})).status_code == 403


async def test_an_end_user_has_one_name_however_a_client_encodes_it(house: House) -> None:
    agent = house.as_("agent", ["user", "delegate"])
    body = {"messages": [{"role": "user", "content": "我喜欢喝乌龙茶。"}], "wait": True}
    for name in ("小明".encode(), b"%E5%B0%8F%E6%98%8E"):
        assert (await agent.post("/v1/turns", json=body, headers={"X-Laoma-User": name})).status_code == 200
        found = await agent.get("/v1/memories", headers={"X-Laoma-User": name})
        assert [memory["text"] for memory in found.json()["data"]] == ["我喜欢喝乌龙茶"]
    assert (await agent.get("/v1/memories", headers={"X-Laoma-User": "%0a"})).status_code == 400


async def test_the_admin_reads_nobody_elses_memories(house: House) -> None:
    ids = await furnish(house)
    admin = house.as_(OWNER, ["user", "admin"])
    assert (await admin.get(f"/v1/memories/{ids['memory_id']}")).status_code == 404
    assert MARK not in (await admin.get("/v1/export")).text
    assert MARK not in (await admin.get("/metrics")).text


@pytest.mark.parametrize("header", [{}, {"Authorization": "Bearer laoma-wrong"}, {"Authorization": "Basic eA=="}])
async def test_without_a_valid_key_every_data_route_answers_401(house: House, header: dict[str, str]) -> None:
    import httpx

    async with httpx.AsyncClient(base_url=house.url, headers=header) as nobody:
        paths = (await nobody.get("/openapi.json")).json()["paths"]
        for path, methods in paths.items():
            if path.startswith("/v1/"):
                for method in methods:
                    answer = await nobody.request(method, path, json=BODIES.get(path))
                    assert answer.status_code == 401, f"{method} {path}"
                    assert answer.json()["error"]["code"] == "invalid_api_key"


async def test_a_revoked_key_opens_nothing(house: House) -> None:
    client = house.as_("alice")
    assert (await client.get("/v1/memories")).status_code == 200
    house.keys.revoke(house.keys.entries()[0].id)
    assert (await client.get("/v1/memories")).status_code == 401


async def test_only_admins_see_jobs(house: House) -> None:
    assert (await house.as_("bob").get("/v1/jobs")).status_code == 403
    assert (await house.as_("root", ["user", "admin"]).get("/v1/jobs")).status_code == 200
