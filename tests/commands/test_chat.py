"""chat: one exchange, the stream, the model that still loads, Ctrl-C."""

from __future__ import annotations

import json

import pytest

from commands.chat import Talk
from commands.chat_stream import pieces
from commands.client import Service
from schemas.errors import LaomaError, UpstreamFailed
from tests.commands.conftest import Laoma
from tests.commands.scripted_service import KEY, Script

CHAT = "/v1/chat/completions"


def test_a_message_gets_its_reply_and_the_memories_it_used(online: Laoma, service: Script) -> None:
    service.memories = {"m1": "我早上喝无糖豆浆"}
    service.recalled = ["m1"]
    done = online("chat", "我早上喝什么？")
    assert done.code == 0
    assert done.out == "无糖豆浆。\n"
    assert "remembered: 我早上喝无糖豆浆  (m1)" in done.err


def test_json_holds_reply_turn_conversation_and_recalled(online: Laoma, service: Script) -> None:
    service.memories = {"m1": "我早上喝无糖豆浆"}
    service.recalled = ["m1", "gone"]
    told = json.loads(online("chat", "我早上喝什么？", "--json", "--conversation", "c1").out)
    recalled = [{"id": "m1", "text": "我早上喝无糖豆浆"}]
    assert told == {"reply": "无糖豆浆。", "turn": "turn-1", "conversation": "c1", "recalled": recalled}


def test_a_message_may_come_from_a_pipe(online: Laoma, service: Script) -> None:
    assert online("chat", stdin="你好\n").out == "无糖豆浆。\n"
    assert service.bodies("POST", CHAT)[0]["messages"] == [{"role": "user", "content": "你好"}]


def test_nothing_to_say_is_misuse(online: Laoma) -> None:
    assert online("chat").code == 2


def test_the_conversation_is_closed_so_that_the_next_one_knows(online: Laoma, service: Script) -> None:
    online("chat", "我叫林晚")
    header = next(headers for method, path, headers, _ in service.asked if path == CHAT)["x-laoma-conversation"]
    assert service.bodies("POST", f"/v1/conversations/{header}/close") == [{}]


def test_reading_only_says_so_and_closes_nothing(online: Laoma, service: Script) -> None:
    online("chat", "我叫什么？", "--memory", "read")
    assert [(headers.get("x-laoma-memory"), path) for _, path, headers, _ in service.asked] == [("read", CHAT)]


def test_a_named_conversation_goes_on_where_it_was(online: Laoma, service: Script) -> None:
    online("chat", "我叫什么？", "--conversation", "c1")
    said = [(m["role"], m["content"]) for m in service.bodies("POST", CHAT)[0]["messages"]]
    assert said == [("user", "我叫林晚"), ("assistant", "你好，林晚"), ("user", "我叫什么？")]


def test_chat_waits_for_a_model_that_loads(online: Laoma, service: Script) -> None:
    service.loading = 2
    done = online("chat", "你好")
    assert done.out == "无糖豆浆。\n"
    assert len(service.bodies("POST", CHAT)) == 3
    assert done.err == "The model is still loading. Waiting up to 300 s for it (--wait 0: not at all).\n"


def test_without_patience_a_loading_model_is_a_failure_in_one_line(online: Laoma, service: Script) -> None:
    service.loading = 100
    done = online("chat", "你好", "--wait", "0")
    assert (done.code, done.err) == (1, "laoma: The model is still loading.\n")


def test_a_model_that_failed_is_not_waited_for(online: Laoma, service: Script) -> None:
    service.loading, service.model_state = 100, "failed"
    assert online("chat", "你好").code == 1
    assert service.loading == 99


def test_an_error_inside_the_stream_is_a_failure(online: Laoma, service: Script) -> None:
    service.chat_error = "the model server broke off"
    done = online("chat", "你好")
    assert done.code == 1
    assert done.err == "laoma: the model server broke off\n"


def test_ctrl_c_stops_the_generation_and_keeps_what_came(service: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    service.endless = True
    real = pieces

    def interrupted(lines: object) -> object:
        for count, piece in enumerate(real(lines)):  # type: ignore[arg-type]
            yield piece
            if count == 1:
                raise KeyboardInterrupt

    monkeypatch.setattr("commands.chat_stream.pieces", interrupted)
    talk = Talk(Service(service.address, KEY), None, "on", 0)
    assert talk.exchange("说个长故事", show=False)[0] == "无糖豆浆。"
    assert service.hung_up.wait(10)
    assert [m["role"] for m in talk.messages] == ["user", "assistant"]


def test_the_second_exchange_sends_the_first(service: Script) -> None:
    talk = Talk(Service(service.address, KEY), None, "on", 0)
    talk.exchange("一", show=False)
    talk.exchange("二", show=False)
    assert [m["content"] for m in service.bodies("POST", CHAT)[1]["messages"]] == ["一", "无糖豆浆。", "二"]


def test_a_message_that_failed_is_not_sent_again_with_the_next(service: Script) -> None:
    talk = Talk(Service(service.address, KEY), None, "on", 0)
    service.loading = 1
    with pytest.raises(LaomaError):
        talk.exchange("一", show=False)
    talk.exchange("二", show=False)
    assert [m["content"] for m in service.bodies("POST", CHAT)[1]["messages"]] == ["二"]


def test_a_stream_is_read_past_comments_events_and_empty_choices() -> None:
    lines = [
        ": ping",
        "event: ping",
        "data: ",
        'data:{"choices":[{"delta":{"content":"a"}}]}',
        'data: {"choices":[{}]}',
        "data: [DONE]",
        "data: x",
    ]
    assert list(pieces(lines)) == ["a"]


def test_a_stream_of_something_else_fails_clearly() -> None:
    with pytest.raises(UpstreamFailed, match="no JSON"):
        list(pieces(["data: <html>"]))
