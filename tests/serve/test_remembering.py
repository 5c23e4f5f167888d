"""Told once, known from then on: the main job, through HTTP."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.ports import Embedder
from tests.serve.house import House, open_house


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


async def test_what_was_told_in_one_conversation_is_in_the_prompt_of_another(house: House) -> None:
    await house.chat("ming", user("我叫周明，我对花生过敏。"))
    house.clock.pass_(hours=1)
    await house.chat("ming", user("晚饭吃宫保鸡丁行不行？"))
    prompt = house.model.prompt()
    assert "周明" in prompt
    assert "花生过敏" in prompt


async def test_a_memory_survives_a_restart(tmp_path: Path, embedder: Embedder) -> None:
    async with open_house(tmp_path, embedder) as before:
        await before.chat("ming", user("我住在苏州。"))
    async with open_house(tmp_path, embedder) as after:
        assert any("苏州" in text for text in await after.recalled("ming", "我住在哪个城市？"))


async def test_another_client_of_the_same_user_knows_it_too(house: House) -> None:
    await house.tell("ming", "我不喜欢香菜。")
    await house.chat("ming", user("帮我点一份牛肉面，香菜要吗？"))
    assert "不喜欢香菜" in house.model.prompt()


async def test_the_same_statement_again_makes_no_second_memory(house: House) -> None:
    await house.tell("ming", "我家的路由器放在书房窗台上。", "我喜欢喝乌龙茶。")
    first = {memory["id"] for memory in await house.memories("ming")}
    await house.tell("ming", "我喜欢喝乌龙茶。")
    assert {memory["id"] for memory in await house.memories("ming")} == first


async def test_english_statements_are_remembered_in_english(house: House) -> None:
    await house.tell("sam", "My dentist is Dr. Pell. I prefer window seats.")
    texts = " | ".join(memory["text"] for memory in await house.memories("sam"))
    assert "Dr. Pell" in texts
    assert "window seats" in texts


async def test_a_memory_names_its_turn_and_says_why(house: House) -> None:
    told = await house.tell("ming", "我喜欢喝乌龙茶。")
    detail = (await house.as_("ming").get(f"/v1/memories/{told['memories'][0]}")).json()
    assert [turn["content"] for turn in detail["turns"]] == ["我喜欢喝乌龙茶。"]
    assert detail["history"][0]["action"] == "create"
    assert detail["history"][0]["reason"]


async def test_small_talk_and_questions_leave_nothing(house: House) -> None:
    await house.tell("ming", "今天天气真好", "你觉得哪种茶好喝？", "哈哈哈")
    assert await house.memories("ming") == []


async def test_the_briefing_stays_within_500_characters(house: House) -> None:
    await house.tell("ming", *[f"我喜欢{thing}，因为{reason}。" for thing, reason in _REASONS])
    answer = (await house.as_("ming").post("/v1/recall", json={"query": "我喜欢喝什么？"})).json()
    assert 0 < len(answer["briefing"]) <= 500
    assert 0 < len(answer["memories"]) <= 5


async def test_nothing_relevant_means_nothing_injected(house: House) -> None:
    await house.tell("ming", "我不喜欢香菜。")
    answer = (await house.as_("ming").post("/v1/recall", json={"query": "怎么给自行车链条上油？"})).json()
    assert answer["memories"] == []


async def test_memory_read_recalls_but_stores_nothing(house: House) -> None:
    await house.tell("ming", "我不喜欢香菜。")
    before = len((await house.as_("ming").get("/v1/conversations")).json()["data"])
    answer = await house.chat("ming", user("我不喜欢芹菜。香菜呢，要不要放香菜？"), headers={"X-Laoma-Memory": "read"})
    assert "香菜" in house.model.prompt()
    assert "X-Laoma-Turn" not in answer.headers
    assert len((await house.as_("ming").get("/v1/conversations")).json()["data"]) == before
    assert len(await house.memories("ming")) == 1


async def test_memory_off_neither_recalls_nor_stores(house: House) -> None:
    await house.tell("ming", "我不喜欢香菜。")
    await house.chat("ming", user("要不要放香菜？"), headers={"X-Laoma-Memory": "off"})
    assert "不喜欢香菜" not in house.model.prompt()
    assert len((await house.as_("ming").get("/v1/conversations")).json()["data"]) == 1


async def test_secrets_never_reach_the_lake(house: House) -> None:
    await house.tell("ming", "记住我的身份证号是11010519491231002X，密码是 hunter2-Q9!")
    export = (await house.as_("ming").get("/v1/export")).text
    assert "11010519491231002X" not in export
    assert "hunter2" not in export


_REASONS = [
    (thing, "小时候在外婆家的院子里经常可以喝到，那个味道我到现在都忘不了" * 2)
    for thing in ("喝乌龙茶", "喝豆浆", "喝美式咖啡", "喝酸梅汤", "喝椰子水", "喝杨枝甘露", "喝柠檬水", "喝热牛奶")
]


async def test_what_was_said_is_quoted_with_its_date_where_the_question_asks_for_it_and_no_memory_answers(house: House) -> None:
    house.model.reply = "可以去读法布尔的《昆虫记》，写得很有趣。"
    await house.chat("ming", user("有什么讲虫子的书值得读？"))
    await house.service._turn_vectors._backlog.empty("ming")
    house.clock.pass_(days=3)
    house.model.reply = "好的。"
    await house.chat("ming", user("你上次推荐的讲虫子的书是哪一本？"))
    assert "2026年3月2日，助手说：“可以去读法布尔的《昆虫记》" in house.model.prompt()
    await house.chat("ming", user("有什么讲虫子的书值得读？"))
    assert "助手说" not in house.model.prompt()


async def test_words_that_were_deleted_are_not_quoted_either(house: House) -> None:
    house.model.reply = "记下了，你家的猫叫豆包。"
    await house.chat("ming", user("我家的猫叫豆包。"))
    house.clock.pass_(days=1)
    house.model.reply = "好的。"
    for memory in await house.memories("ming"):
        await house.as_("ming").delete(f"/v1/memories/{memory['id']}")
    await house.service._turn_vectors._backlog.empty("ming")
    await house.chat("ming", user("我跟你说过我家的猫叫什么吗？"))
    assert "豆包" not in house.model.prompt()


@pytest.mark.parametrize("text", ["把预算提高到五百", "raise it to 550", "换成深色主题", "🙂 **ok** <b>x</b>"])
async def test_what_is_handed_over_is_kept_even_where_it_says_nothing_by_itself(house: House, text: str) -> None:
    answer = await house.as_("ming").post("/v1/memories", json={"text": text})
    assert answer.status_code == 201, answer.text
    assert [one["text"] for one in await house.memories("ming")] == [text]
