"""remember, recall, memories, forget."""

from __future__ import annotations

import json

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


def test_forget_deletes_each_id_and_says_what_is_gone(online: Laoma, service: Script) -> None:
    service.memories = {"m1": "喜欢茶", "m2": "讨厌香菜"}
    done = online("forget", "m1", "m2")
    assert done.out.splitlines() == ["Forgotten: 喜欢茶", "Forgotten: 讨厌香菜"]
    assert service.memories == {}


def test_forget_deletes_nothing_when_one_id_is_unknown(online: Laoma, service: Script) -> None:
    service.memories = {"m1": "喜欢茶"}
    done = online("forget", "m1", "m9")
    assert done.code == 1
    assert done.err == "laoma: No memory 'm9'.\n"
    assert service.memories == {"m1": "喜欢茶"}
