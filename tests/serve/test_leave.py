"""What may be kept only with the user's leave, and secrets that are cut over messages: nothing of it reaches the lake (R32)."""

from __future__ import annotations

from tests.serve.house import House


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def assistant(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


async def exported(house: House, name: str) -> str:
    return (await house.as_(name).get("/v1/export")).text


async def test_health_is_not_kept_without_leave_neither_in_the_turn_nor_in_the_reply(house: House) -> None:
    house.model.reply = "痛风要少喝啤酒。多喝水。"
    await house.chat("ming", user("我得了痛风，周末想去爬山。我喜欢乌龙茶。"))
    stored = await exported(house, "ming")
    assert "痛风" not in stored
    assert [memory["text"] for memory in await house.memories("ming")] == ["我喜欢乌龙茶"]
    assert "痛风" in house.model.prompt(), "the model answers what was said"


async def test_with_leave_it_is_kept_and_what_was_said_before_in_the_conversation_too(house: House) -> None:
    first = user("我对青霉素过敏。")
    await house.chat("ming", first)
    assert await house.memories("ming") == []
    assert (await house.as_("ming").put("/v1/consents", json={"category": "health"})).status_code == 200
    await house.chat("ming", first, assistant(house.model.reply), user("那我能吃火锅吗？"))
    assert any("青霉素" in memory["text"] for memory in await house.memories("ming"))
    conversations = (await house.as_("ming").get("/v1/conversations")).json()["data"]
    assert len(conversations) == 1
    await house.as_("ming").delete("/v1/consents", params={"category": "health"})
    await house.chat("ming", user("我还得了哮喘。"))
    assert "哮喘" not in await exported(house, "ming")


async def test_by_hand_it_is_refused_with_what_to_do(house: House) -> None:
    answer = await house.as_("ming").post("/v1/memories", json={"text": "我得了痛风"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "consent_required")
    secret = await house.as_("ming").post("/v1/memories", json={"text": "我的密码是小狗的名字"})
    assert secret.json()["error"]["code"] == "never_stored"
    await house.as_("ming").put("/v1/consents", json={"category": "health"})
    assert (await house.as_("ming").post("/v1/memories", json={"text": "我得了痛风"})).status_code == 201


async def test_a_number_cut_over_two_messages_is_stored_in_neither(house: House) -> None:
    first = user("记一下 110101199")
    await house.chat("ming", first)
    await house.chat("ming", first, assistant(house.model.reply), user("003079972"))
    stored = await exported(house, "ming")
    assert "110101199" not in stored
    assert "003079972" not in stored
    assert len((await house.as_("ming").get("/v1/conversations")).json()["data"]) == 1


async def test_no_memory_is_made_of_a_password_whatever_it_looks_like(house: House) -> None:
    await house.tell("ming", "我的密码是小狗的名字。", "My password is the name of my dog.")
    assert await house.memories("ming") == []
