"""What happens on a terminal: prompts, Ctrl-C, Ctrl-D, questions before deleting."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands.scripted_service import KEY, Script
from tests.commands.terminal import Terminal

CHAT = "/v1/chat/completions"


@pytest.fixture
def environment(home: Path, service: Script) -> Iterator[dict[str, str]]:
    home.mkdir()
    return {"LAOMA_HOME": str(home), "LAOMA_URL": service.address, "LAOMA_KEY": KEY}


def test_a_conversation_in_the_terminal(environment: dict[str, str], service: Script) -> None:
    service.memories, service.recalled = {"m1": "我早上喝无糖豆浆"}, ["m1"]
    with Terminal("chat", environment=environment) as terminal:
        terminal.until("you> ")
        terminal.type("我早上喝什么？\n")
        terminal.until("无糖豆浆。")
        terminal.until("remembered: 我早上喝无糖豆浆  (m1)")
        terminal.until("you> ")
        terminal.type("/forget m1\n")
        terminal.until("Forgotten.")
        terminal.type("/new\n")
        terminal.until("you> ")
        terminal.type("你好\n")
        terminal.until("无糖豆浆。")
        terminal.until("you> ")
        terminal.type("\x04")
        assert terminal.ended() == 0
    assert service.memories == {}
    first, second = service.bodies("POST", CHAT)
    assert [len(body["messages"]) for body in (first, second)] == [1, 1]
    assert sum(path.endswith("/close") for _, path, _, _ in service.asked) == 2
    assert not (Path(environment["LAOMA_HOME"]) / "cache").exists()


def test_ctrl_c_stops_the_reply_and_the_conversation_goes_on(environment: dict[str, str], service: Script) -> None:
    service.endless = True
    with Terminal("chat", environment=environment) as terminal:
        terminal.until("you> ")
        terminal.type("讲个长故事\n")
        terminal.until("豆浆。")
        terminal.type("\x03")
        terminal.until("[stopped]")
        assert service.hung_up.wait(10)
        service.endless = False
        terminal.until("you> ")
        terminal.type("好了\n")
        terminal.until("you> ")
        terminal.type("/quit\n")
        assert terminal.ended() == 0
        assert "Traceback" not in terminal.shown
    assert [m["content"] for m in service.bodies("POST", CHAT)[1]["messages"]] == ["讲个长故事", "无糖豆浆。", "好了"]


def test_ctrl_c_while_nothing_is_done_leaves_quietly(environment: dict[str, str]) -> None:
    with Terminal("chat", environment=environment) as terminal:
        terminal.until("you> ")
        terminal.interrupt()
        assert terminal.ended() == 0
        assert "Traceback" not in terminal.shown


def test_forget_asks_first(environment: dict[str, str], service: Script) -> None:
    service.memories = {"m1": "喜欢茶"}
    with Terminal("forget", "m1", environment=environment) as terminal:
        terminal.until("喜欢茶")
        terminal.until("[y/N]")
        terminal.type("n\n")
        assert terminal.ended() == 1
    assert service.memories == {"m1": "喜欢茶"}
    with Terminal("forget", "m1", environment=environment) as terminal:
        terminal.until("[y/N]")
        terminal.type("y\n")
        assert terminal.ended() == 0
    assert service.memories == {}


def test_the_sql_prompt_answers_statement_by_statement(environment: dict[str, str]) -> None:
    with Terminal("sql", environment=environment) as terminal:
        terminal.until("laoma> ")
        for typed, expected in (
            ("SELECT 20 + 22\n AS sum;\n", "42"),
            (".views\n", "tombstones"),
            ("SELECT nonsense;\n", "laoma: SQL:"),
            (".columns turns\n", "first_token_ms"),
        ):
            terminal.type(typed)
            terminal.until(expected)
            terminal.until("laoma> ")
        terminal.type("SELECT dropped\n")
        terminal.until("   ... ")
        terminal.interrupt("laoma> ")
        terminal.type(".quit\n")
        assert terminal.ended() == 0
    assert "SELECT 20 + 22" in (Path(environment["LAOMA_HOME"]) / "cache" / "sql_history").read_text()
