"""remember, recall, memories, forget."""

from __future__ import annotations

import json

import pytest

from tests.commands.conftest import Laoma
from tests.commands.scripted_service import Script


def test_remember_posts_the_statement_and_says_what_was_stored(online: Laoma, service: Script) -> None:
    done = online("remember", "我对花生过敏", "--kind", "fact")
    assert done.code == 0
    assert "我对花生过敏" in done.out
    assert "m1" in done.out
    assert service.bodies("POST", "/v1/memories") == [{"text": "我对花生过敏", "kind": "fact"}]


def test_remember_answers_in_chinese_where_the_locale_does(online: Laoma) -> None:
    assert online("remember", "我属虎", LANG="zh_CN.UTF-8").out.startswith("记住了：我属虎")


def test_recall_shows_text_score_and_id(online: Laoma, service: Script) -> None:
    service.memories = {"m1": "我早上喝无糖豆浆"}
    done = online("recall", "我早上喝什么？")
    assert done.code == 0
    header, row = done.out.strip().splitlines()
    assert header.split() == ["score", "relevant", "recent", "used", "sure", "kind", "text", "id"]
    assert row.split() == ["0.83", "0.90", "1.00", "0.00", "0.90", "fact", "我早上喝无糖豆浆", "m1"]


def test_recall_leaves_out_what_was_not_asked_for(online: Laoma, service: Script) -> None:
    online("recall", "q", "--kind", "fact", "--kind", "event", "--at", "2025-01-01T00:00:00Z", "--limit", "3")
    online("recall", "q")
    assert service.bodies("POST", "/v1/recall") == [
        {"query": "q", "limit": 3, "at": "2025-01-01T00:00:00Z", "kinds": ["fact", "event"], "include_archived": False},
        {"query": "q", "limit": 5, "include_archived": False},
    ]


def test_recall_without_a_hit_prints_nothing_but_a_note(online: Laoma) -> None:
    done = online("recall", "什么？")
    assert (done.code, done.out) == (0, "")
    assert "Nothing relevant" in done.err


def test_recall_json_is_the_answer_itself(online: Laoma, service: Script) -> None:
    service.memories = {"m1": "喜欢茶"}
    assert json.loads(online("recall", "茶", "--json").out)["memories"][0]["text"] == "喜欢茶"


def test_memories_follows_the_pages_up_to_the_limit(online: Laoma, service: Script) -> None:
    service.memories = {f"m{n}": f"记忆{n}" for n in range(230)}
    assert len(json.loads(online("memories", "--json", "--limit", "1000").out)) == 230
    assert len(json.loads(online("memories", "--json", "--limit", "120").out)) == 120


def test_memories_filters_by_words(online: Laoma, service: Script) -> None:
    service.memories = {"m1": "喜欢茶", "m2": "讨厌香菜"}
    assert [row["id"] for row in json.loads(online("memories", "--q", "香菜", "--json").out)] == ["m2"]


def test_show_tells_history_and_source_turns(online: Laoma, service: Script) -> None:
    service.memories = {"m1": "我对花生过敏"}
    done = online("memories", "show", "m1")
    assert done.code == 0
    assert "create (rule): said so" in done.out
    assert "2025-11-30 20:00  user: 我对花生过敏" in done.out
    assert "conversation c" in done.out


def test_forget_deletes_each_id_and_says_what_is_gone(online: Laoma, service: Script) -> None:
    service.memories = {"m1": "喜欢茶", "m2": "讨厌香菜"}
    done = online("forget", "m1", "m2", "--yes")
    assert done.out.splitlines() == ["Forgotten: 喜欢茶", "Forgotten: 讨厌香菜"]
    assert service.memories == {}


def test_forget_deletes_nothing_when_one_id_is_unknown(online: Laoma, service: Script) -> None:
    service.memories = {"m1": "喜欢茶"}
    done = online("forget", "m1", "m9", "-y")
    assert done.code == 1
    assert done.err == "laoma: No memory 'm9'.\n"
    assert service.memories == {"m1": "喜欢茶"}


def test_forget_says_that_the_words_still_stand_in_the_conversation(online: Laoma, service: Script) -> None:
    service.memories = {"m1": "喜欢茶", "m2": "讨厌香菜"}
    done = online("forget", "m1", "-y")
    assert done.err == (
        "The words themselves still stand in the conversation, where a search finds them. "
        "To delete that too: laoma conversations delete c\n"
    )
    assert json.loads(online("forget", "m2", "-y", "--json").out) == {"forgotten": ["m2"], "conversations": ["c"]}


def test_a_memory_that_was_typed_in_names_no_empty_origin(online: Laoma, service: Script) -> None:
    service.memories, service.typed = {"m1": "喜欢茶"}, {"m1"}
    shown = online("memories", "show", "m1").out
    assert "From:" not in shown
    assert "From no conversation" in shown
    assert online("forget", "m1", "-y").err == ""


def test_correct_changes_the_version_that_was_read(online: Laoma, service: Script) -> None:
    service.memories = {"m1": "对花生过敏"}
    done = online("correct", "m1", "对花生和腰果过敏")
    assert done.out == "Corrected: 对花生过敏 → 对花生和腰果过敏  (m1)\n"
    assert service.memories == {"m1": "对花生和腰果过敏"}
    assert json.loads(online("correct", "m1", "对腰果过敏", "--json").out)["text"] == "对腰果过敏"


def test_search_shows_what_was_said_when_and_where(online: Laoma, service: Script) -> None:
    done = online("search", "花生", "--from", "2025-01-01T00:00:00Z", "--limit", "3")
    header, row = done.out.strip().splitlines()
    assert header.split() == ["score", "said", "who", "conversation", "words"]
    assert row.split() == ["0.71", "2025-11-30", "20:00", "user", "c", "我对花生过敏"]
    assert service.bodies("POST", "/v1/turns/search") == [{"query": "花生", "limit": 3, "from": "2025-01-01T00:00:00Z"}]
    assert json.loads(online("search", "花生", "--json").out)["turns"][0]["id"] == "t1"
    nothing = online("search", "还有吗")
    assert (nothing.code, nothing.out) == (0, "")
    assert nothing.err.splitlines() == ["Nothing like it was said.", "Some turns are found by their words alone so far: ask again later."]


def test_profile_says_who_you_are(online: Laoma) -> None:
    shown = online("profile").out
    for expected in (
        "名字: 林晚",
        "早上喝无糖豆浆",
        "3 conversations of 4.5 exchanges on average, mostly at 7:00, 22:00; thumbs 2 up, 1 down",
    ):
        assert expected in shown
    assert "最近七天：3 次对话" in online("profile", LANG="zh_CN.UTF-8").out
    assert json.loads(online("profile", "--json").out)["attributes"] == {"名字": "林晚"}


def test_conversations_are_listed_shown_and_deleted(online: Laoma, service: Script) -> None:
    service.conversations = ["tea-talk", "c2"]
    assert [line.split()[-1] for line in online("conversations").out.splitlines()] == ["id", "tea-talk", "c2"]
    assert [row["id"] for row in json.loads(online("conversations", "--json").out)] == ["tea-talk", "c2"]
    assert online("conversations", "show", "tea-talk").out == "2025-11-30 20:00  user: 我叫林晚\n2025-11-30 20:00  assistant: 你好，林晚\n"
    assert json.loads(online("conversations", "show", "c2", "--json").out)["conversation"]["id"] == "c2"
    assert online("conversations", "delete", "tea-talk", "-y").out == "Deleted: tea-talk, 2 turns\n"
    assert service.conversations == ["c2"]


@pytest.mark.parametrize(
    "command", [["forget", "m1"], ["conversations", "delete", "c"], ["snapshot", "restore", "s"], ["snapshot", "prune", "s"]]
)
def test_nothing_is_destroyed_where_nobody_can_be_asked(online: Laoma, service: Script, command: list[str]) -> None:
    service.memories, service.conversations = {"m1": "喜欢茶"}, ["c"]
    for answer in ("", "n\n", "y\n"):
        done = online(*command, stdin=answer)
        assert (done.code, done.out) == (2, "")
        assert done.err == "laoma: this can't be undone and nobody is at a terminal to be asked: add --yes\n"
    assert (service.memories, service.conversations) == ({"m1": "喜欢茶"}, ["c"])
    assert [method for method, *_ in service.asked if method != "GET"] == []
