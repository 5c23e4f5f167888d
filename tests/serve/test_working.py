"""Working memory through HTTP (R1, R2): the window, the summary in the place of the rest, a prompt that grows at its end only."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memory.ports import Embedder
from schemas.settings import Settings, Window
from tests.serve.house import House, open_house

_HEADING = "这次对话更早的部分（摘要"


def talk(exchanges: int, question: str = "那第{}件事怎么办？") -> list[dict[str, Any]]:
    """A client's list whose last question waits for its reply."""
    messages: list[dict[str, Any]] = []
    for number in range(1, exchanges + 1):
        messages += [{"role": "user", "content": question.format(number)}, {"role": "assistant", "content": f"第{number}件就这样。"}]
    return messages[:-1]


def spoken(prompt: Sequence[dict[str, Any]]) -> list[str]:
    return [str(message["content"]).rsplit("\n\n", 1)[-1] for message in prompt if message["role"] != "system"]


async def prompt(house: House, messages: list[dict[str, Any]], **fields: Any) -> list[dict[str, Any]]:
    answer = await house.chat("ming", *messages, **fields)
    assert answer.status_code == 200, answer.text
    sent: list[dict[str, Any]] = house.model.bodies[-1]["messages"]
    return sent


async def test_twenty_exchanges_go_to_the_model_as_they_are(house: House) -> None:
    sent = await prompt(house, talk(20))
    assert spoken(sent) == [message["content"] for message in talk(20)]
    assert _HEADING not in sent[0]["content"]


async def test_past_twenty_the_oldest_six_leave_and_a_summary_stands_in_their_place(house: House) -> None:
    sent = await prompt(house, talk(21))
    assert spoken(sent) == [message["content"] for message in talk(21)][12:]
    head = sent[0]["content"]
    assert head.index(_HEADING) > 0
    assert "第1–6轮：话题“那第1件事怎么办”" in head
    assert "助手“第6件就这样”" in head


async def test_within_a_step_the_prompt_grows_at_its_end_only(house: House) -> None:
    before: list[dict[str, Any]] | None = None
    for exchanges in range(21, 28):
        sent = await prompt(house, talk(exchanges))
        if before is not None:
            same = sent[: len(before) - 1] == before[:-1]
            assert same == (exchanges != 27), exchanges  # the seventh is the next step
        before = sent


async def test_system_messages_and_tool_calls_survive_the_cut(house: House) -> None:
    messages = talk(21)
    call = {"id": "t1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    messages[13:14] = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "t1", "content": "晴"},
        {"role": "assistant", "content": "第7件就这样。"},
    ]
    sent = await prompt(house, [{"role": "system", "content": "你是厨师。"}, *messages])
    assert "你是厨师。" in sent[0]["content"]
    assert [message["role"] for message in sent[:6]] == ["system", "user", "assistant", "tool", "assistant", "user"]
    assert len([message for message in sent if message["role"] == "user"]) == 15


async def test_an_edited_question_is_summarised_as_it_is_now(house: House) -> None:
    await prompt(house, talk(21))
    edited = talk(21)
    edited[0] = {"role": "user", "content": "我们先说说搬家的事情"}
    head = (await prompt(house, edited))[0]["content"]
    assert "话题“我们先说说搬家的事情”" in head
    assert "那第1件事怎么办" not in head


async def test_memory_off_leaves_the_list_as_it_is_and_read_cuts_it_too(house: House) -> None:
    off = await prompt(house, talk(30), headers={"X-Laoma-Memory": "off"})
    assert spoken(off) == [message["content"] for message in talk(30)]
    assert _HEADING not in str(off)
    read = await prompt(house, talk(21), headers={"X-Laoma-Memory": "read"})
    assert spoken(read) == [message["content"] for message in talk(21)][12:]
    assert "第1–6轮：话题“那第1件事怎么办”" in read[0]["content"]
    assert (await house.as_("ming").get("/v1/conversations")).json()["data"] == []


async def test_a_secret_reaches_no_summary(house: House) -> None:
    messages = talk(21)
    messages[0]["content"] = "我的身份证号是11010519491231002X，先记一下这件事"
    head = (await prompt(house, messages))[0]["content"]
    assert "11010519491231002X" not in head
    assert "身份证" in head


async def test_the_settings_say_how_long_the_window_is(tmp_path: Path, embedder: Embedder) -> None:
    async with open_house(tmp_path, embedder, settings=Settings(window=Window(exchanges=4, step=6))) as house:
        sent = await prompt(house, talk(5))
        assert spoken(sent) == [message["content"] for message in talk(5)][4:]


async def test_a_deleted_memory_is_in_no_summary(house: House) -> None:
    messages = talk(21)
    messages[0] = {"role": "user", "content": "我对花生过敏。"}
    await prompt(house, messages[:1])
    (memory,) = await house.memories("ming")
    assert "花生" in (await prompt(house, messages))[0]["content"].split(_HEADING)[1]
    assert (await house.as_("ming").delete(f"/v1/memories/{memory['id']}")).status_code == 200
    assert "花生" not in (await prompt(house, messages))[0]["content"]
