"""Chat completions: OpenAI's contract kept, turns stored once, the reply stored before it counts as complete."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import openai
import pytest

from memory.ports import Embedder
from schemas.settings import Model, Settings
from schemas.status import ModelState
from tests.serve.house import House, open_house


def user(text: Any) -> dict[str, Any]:
    return {"role": "user", "content": text}


def assistant(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


async def turns(house: House, conversation: str) -> list[tuple[str, str]]:
    view = (await house.as_("ming").get(f"/v1/conversations/{conversation}")).json()
    return [(turn["role"], turn["content"]) for turn in view["turns"]]


async def test_the_openai_sdk_works_unchanged(house: House) -> None:
    client = openai.AsyncOpenAI(base_url=f"{house.url}/v1", api_key=house.key("ming"))
    answer = await client.chat.completions.create(model="laoma", messages=[{"role": "user", "content": "你好"}])
    assert answer.choices[0].message.content == "好的。"
    stream = await client.chat.completions.create(model="laoma", messages=[{"role": "user", "content": "再来"}], stream=True)
    assert "".join([chunk.choices[0].delta.content or "" async for chunk in stream]) == "好的。"
    assert [model.id async for model in client.models.list()] == ["laoma", "pocket"]
    vectors = await client.embeddings.create(model="laoma", input=["你好", "hello"])
    assert [len(row.embedding) for row in vectors.data] == [384, 384]


async def test_a_list_sent_anew_stores_no_turn_twice(house: House) -> None:
    first = await house.chat("ming", user("给我讲讲敦煌"))
    conversation = first.headers["X-Laoma-Conversation"]
    second = await house.chat("ming", user("给我讲讲敦煌"), assistant("好的。"), user("哪一窟最好看？"))
    assert second.headers["X-Laoma-Conversation"] == conversation
    assert await turns(house, conversation) == [
        ("user", "给我讲讲敦煌"),
        ("assistant", "好的。"),
        ("user", "哪一窟最好看？"),
        ("assistant", "好的。"),
    ]


async def test_an_edited_message_becomes_a_branch_of_the_same_conversation(house: House) -> None:
    first = await house.chat("ming", user("给我讲讲敦煌"))
    conversation = first.headers["X-Laoma-Conversation"]
    await house.chat("ming", user("给我讲讲敦煌"), assistant("好的。"), user("哪一窟最好看？"))
    edited = await house.chat("ming", user("给我讲讲敦煌"), assistant("好的。"), user("门票多少钱？"))
    assert edited.headers["X-Laoma-Conversation"] == conversation
    view = (await house.as_("ming").get(f"/v1/conversations/{conversation}")).json()["turns"]
    parents = {turn["content"]: turn["parent"] for turn in view if turn["role"] == "user"}
    assert parents["哪一窟最好看？"] == parents["门票多少钱？"] != None  # noqa: E711


async def test_the_reply_is_stored_with_what_it_used_and_cost(house: House) -> None:
    await house.tell("ming", "我不喜欢香菜。")
    answer = await house.chat("ming", user("牛肉面里放不放香菜？"))
    turn = (await house.as_("ming").get(f"/v1/turns/{answer.headers['X-Laoma-Turn']}")).json()
    assert (turn["content"], turn["interrupted"], turn["completion_tokens"]) == ("好的。", False, 3)
    assert turn["recalled"] == answer.headers["X-Laoma-Recalled"].split(",")
    memory = (await house.memories("ming"))[0]
    assert (memory["id"], memory["access_count"]) == (turn["recalled"][0], 1)


async def test_a_stream_ends_well_formed_and_is_stored(house: House) -> None:
    house.model.reply = "一二三"
    answer = await house.chat("ming", user("数数"), stream=True)
    events = [line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: ")]
    assert events[-1] == "[DONE]"
    assert "".join(json.loads(event)["choices"][0]["delta"].get("content", "") for event in events[:-1]) == "一二三"
    turn = (await house.as_("ming").get(f"/v1/turns/{answer.headers['X-Laoma-Turn']}")).json()
    assert turn["content"] == "一二三"


async def test_an_empty_reply_is_stored_as_nothing(house: House) -> None:
    house.model.reply = ""
    answer = await house.chat("ming", user("嗯"))
    assert answer.status_code == 200
    assert await turns(house, answer.headers["X-Laoma-Conversation"]) == [("user", "嗯")]


async def test_unknown_fields_tools_and_formats_reach_the_model_unchanged(house: House) -> None:
    fields = {"tools": [{"type": "function", "function": {"name": "w"}}], "response_format": {"type": "json_object"}, "top_k": 7, "seed": 1}
    await house.chat("ming", user("hi"), **fields)
    assert {name: house.model.bodies[-1][name] for name in fields} == fields


@pytest.mark.parametrize("call", [{"role": "assistant", "content": None}, {"role": "assistant"}])
async def test_tool_call_turns_without_content_are_accepted(house: House, call: dict[str, Any]) -> None:
    tool = {"tool_calls": [{"id": "c1", "type": "function", "function": {"name": "w", "arguments": "{}"}}]}
    answer = await house.chat("ming", user("天气？"), call | tool, {"role": "tool", "tool_call_id": "c1", "content": "晴"})
    assert answer.status_code == 200
    assert house.model.bodies[-1]["messages"][-2] == call | tool
    assert "None" not in house.model.prompt().replace("None\n", "", 1)
    assert "None" not in (await house.as_("ming").get("/v1/export")).text


async def test_parts_are_read_as_one_text_and_images_passed_on(house: House) -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    system = {"role": "system", "content": [{"type": "text", "text": "Be brief."}]}
    answer = await house.chat("ming", system, user([{"type": "text", "text": "我的猫叫"}, {"type": "input_text", "text": "豆包"}, image]))
    assert answer.status_code == 200
    assert image in house.model.bodies[-1]["messages"][-1]["content"]
    assert [memory["text"] for memory in await house.memories("ming")] == ["我的猫叫豆包"]


async def test_a_part_of_unknown_type_is_refused_by_its_place(house: House) -> None:
    answer = await house.chat("ming", user([{"type": "hologram"}]))
    assert answer.status_code == 400
    assert answer.json()["error"]["param"] == "messages[0].content[0].type"


async def test_a_developer_message_reaches_the_model_as_system(house: House) -> None:
    body = {"max_completion_tokens": 50, "max_tokens": 9, "reasoning_effort": "low", "n": 1, "user": "x", "metadata": {"a": "b"}}
    answer = await house.chat("ming", {"role": "developer", "content": "Be terse."}, user("hi"), **body)
    assert answer.status_code == 200
    sent = house.model.bodies[-1]
    assert [message["role"] for message in sent["messages"]] == ["system", "user"]
    assert sent["messages"][0]["content"].endswith("Be terse.")
    assert (sent["max_completion_tokens"], "max_tokens" in sent) == (50, False)


async def test_a_reply_without_a_limit_of_the_clients_gets_the_settings_one(house: House) -> None:
    await house.chat("ming", user("hi"))
    assert house.model.bodies[-1]["max_tokens"] == 64
    await house.chat("ming", user("hi"), max_tokens=900)
    assert house.model.bodies[-1]["max_tokens"] == 900
    house.parts = replace(
        house.parts, settings=house.parts.settings.model_copy(update={"model": Model(name="m", url="http://127.0.0.1:9/v1")})
    )
    await house.chat("ming", user("hi"))
    assert "max_tokens" not in house.model.bodies[-1]


async def test_more_than_one_choice_is_refused_clearly(house: House) -> None:
    assert (await house.chat("ming", user("hi"), n=2)).json()["error"]["param"] == "n"


async def test_a_model_that_loads_gives_503_with_a_time_to_retry(house: House) -> None:
    house.model.state = ModelState(name="pocket", state="loading")
    answer = await house.chat("ming", user("hi"))
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert (await house.as_("ming").get("/v1/conversations")).json()["data"] == []
    assert (await house.as_("ming").get("/readyz")).status_code == 200


async def test_what_was_said_while_the_model_loaded_is_learnt_with_the_next_message(house: House) -> None:
    house.model.state = ModelState(name="pocket", state="loading")
    await house.chat("ming", user("我对芒果过敏。"))
    house.model.state = ModelState(name="echo", state="ready")
    await house.chat("ming", user("我对芒果过敏。"), user("晚饭吃什么？"))
    assert [memory["text"] for memory in await house.memories("ming")] == ["我对芒果过敏"]


async def test_a_model_outside_this_machine_sees_no_secrets(house: House) -> None:
    parts = house.parts
    for url, seen in (("https://models.example.org/v1", False), ("http://127.0.0.1:9/v1", True)):
        house.parts = replace(parts, settings=parts.settings.model_copy(update={"model": Model(name="m", url=url)}))
        await house.chat("ming", user([{"type": "text", "text": "我的身份证号是11010519491231002X"}]))
        assert ("11010519491231002X" in house.model.prompt()) is seen


async def test_a_recalled_memory_that_the_profile_says_already_counts_as_recalled(house: House) -> None:
    await house.tell("ming", "我叫周明。")
    answer = await house.chat("ming", user("我叫什么名字？"))
    assert answer.headers["X-Laoma-Recalled"] == (await house.memories("ming"))[0]["id"]
    assert house.model.prompt().count("我叫周明") == 1


async def test_the_head_of_the_prompt_stays_the_same_from_turn_to_turn(house: House) -> None:
    await house.tell("ming", "我叫周明，我对花生过敏。", "我不喜欢香菜。")
    await house.chat("ming", user("晚饭吃什么？"))
    await house.chat("ming", user("晚饭吃什么？"), assistant("好的。"), user("牛肉面放香菜吗？"))
    first, second = (body["messages"][0] for body in house.model.bodies[-2:])
    assert first == second
    assert "周明" in first["content"]


async def test_the_pocket_model_is_told_little_and_kept_from_going_round_in_circles(house: House) -> None:
    await house.chat("ming", {"role": "user", "content": "Hello"})
    sent = house.model.bodies[-1]
    assert sent["messages"][0] == {"role": "system", "content": "You answer in one short English sentence."}
    assert sent["repetition_penalty"] == 1.2
    await house.chat("ming", {"role": "user", "content": "Hello"}, repetition_penalty=1.0)
    assert house.model.bodies[-1]["repetition_penalty"] == 1.0


async def test_any_other_model_gets_the_persona_and_no_penalty(tmp_path: Path, embedder: Embedder) -> None:
    settings = Settings(model=Model(name="qwen", source="Qwen/Qwen3-8B"))
    async with open_house(tmp_path, embedder, settings=settings) as house:
        await house.chat("ming", {"role": "user", "content": "Hello"})
        sent = house.model.bodies[-1]
    assert sent["messages"][0]["content"].startswith("你是老马")
    assert "repetition_penalty" not in sent
    assert "max_tokens" not in sent


async def test_while_the_model_loads_the_refusal_says_how_far_it_is(house: House) -> None:
    house.model.state = ModelState(name="pocket", state="loading", detail="loading into vLLM, 42 s so far")
    answer = await house.chat("ming", {"role": "user", "content": "Hello"})
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert "pocket is loading (loading into vLLM, 42 s so far)" in answer.json()["error"]["message"]


async def test_somebody_new_is_asked_one_thing_once(tmp_path: Path, embedder: Embedder) -> None:
    settings = Settings(model=Model(name="qwen", source="Qwen/Qwen3-8B"))
    async with open_house(tmp_path, embedder, settings=settings) as house:
        shaped = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object"}}}
        await house.as_("lan").post("/v1/chat/completions", json={"messages": [user("给个标题")], "response_format": shaped})
        await house.chat("ming", user("周末去哪儿走走好？"))
        await house.chat("ming", user("周末去哪儿走走好？"), assistant("好的。"), user("远一点的呢？"))
        await house.chat("ming", user("早饭吃什么好？"))
        await house.chat("yun", user("早饭吃什么好？"), user("我叫阿澄"))
    asks = ["怎么称呼" in house.model.prompt(number) for number in range(5)]
    assert asks == [False, True, False, False, False]
