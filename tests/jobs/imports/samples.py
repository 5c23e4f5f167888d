"""One small export in each format, of our own making, with the words that are to come out of it."""

import json
from dataclasses import dataclass
from typing import Any

Said = tuple[str, str, float | None]
"""Role, content, Unix seconds."""

_AT = 1_709_600_000


@dataclass(frozen=True)
class Sample:
    format: str
    name: str
    content: str
    said: list[Said]
    me: str | None = None


def _node(id: str, parent: str | None, role: str, text: str, at: float | None, **more: Any) -> dict[str, Any]:
    message = {"id": id, "author": {"role": role}, "create_time": at, "content": {"content_type": "text", "parts": [text]}, **more}
    return {"id": id, "parent": parent, "children": [], "message": message}


def chatgpt() -> Sample:
    nodes = [
        {"id": "root", "parent": None, "children": [], "message": None},
        _node("q", "root", "user", "Which bread keeps longest?", _AT),
        _node("old", "q", "assistant", "White bread.", _AT + 1),
        _node("new", "q", "assistant", "Rye\ue200cite\ue202turn0\ue201 bread.", _AT + 2),
        _node("hidden", "new", "assistant", "a note", _AT + 3, metadata={"is_visually_hidden_from_conversation": True}),
        _node("last", "hidden", "user", "谢谢", None),
    ]
    export = [{"id": "bread", "title": "Bread", "mapping": {one["id"]: one for one in nodes}, "current_node": "last", "update_time": _AT}]
    said: list[Said] = [("user", "Which bread keeps longest?", _AT), ("assistant", "Rye bread.", _AT + 2), ("user", "谢谢", None)]
    return Sample("chatgpt", "conversations.json", json.dumps(export), said)


def claude() -> Sample:
    messages = [
        {"uuid": "1", "sender": "human", "text": "我养了两只兔子", "content": [], "created_at": "2024-03-05T01:00:00Z"},
        {
            "uuid": "2", "sender": "assistant", "text": "", "created_at": "2024-03-05T01:00:05Z",
            "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "它们多大了？"}],
        },
    ]  # fmt: skip
    export = [{"uuid": "rabbits", "name": "兔子", "created_at": "2024-03-05T01:00:00Z", "chat_messages": messages}]
    return Sample(
        "claude",
        "conversations.json",
        json.dumps(export),
        [("user", "我养了两只兔子", 1709600400), ("assistant", "它们多大了？", 1709600405)],
    )


def openwebui() -> Sample:
    nodes = {
        "a": {"id": "a", "parentId": None, "role": "user", "content": "plan a walk", "timestamp": _AT},
        "b": {"id": "b", "parentId": "a", "role": "assistant", "content": "not this", "timestamp": _AT + 1},
        "c": {
            "id": "c", "parentId": "a", "role": "assistant", "timestamp": _AT + 2,
            "content": '<details type="reasoning"><summary>s</summary>hm</details>\nAlong the river.',
        },
    }  # fmt: skip
    export = [{"id": "walk", "chat": {"history": {"messages": nodes, "currentId": "c"}, "messages": []}, "updated_at": _AT}]
    said: list[Said] = [("user", "plan a walk", _AT), ("assistant", "Along the river.", _AT + 2)]
    return Sample("openwebui", "export.json", json.dumps(export), said)


def lobechat() -> Sample:
    def row(id: str, role: str, text: str, at: int, parent: str | None) -> dict[str, Any]:
        return {"id": id, "role": role, "content": text, "createdAt": at * 1000, "topicId": "t", "sessionId": "s", "parentId": parent}

    messages = [row("2", "assistant", "B", _AT, "1"), row("3", "user", "C", _AT + 9, "2"), row("1", "user", "A", _AT, None)]
    export = {"exportType": "sessions", "version": 7, "state": {"topics": [{"id": "t", "title": "T"}], "messages": messages}}
    return Sample("lobechat", "lobe.json", json.dumps(export), [("user", "A", _AT), ("assistant", "B", _AT), ("user", "C", _AT + 9)])


def nextchat() -> Sample:
    messages = [
        {"id": "1", "role": "user", "date": "2024/3/5 上午9:00:00", "content": "早"},
        {"id": "2", "role": "assistant", "date": "3/5/2024, 9:00:01 AM", "content": "<think>hm</think>早上好"},
        {"id": "3", "role": "user", "date": "05/03/2024, 09:01:00", "content": "几号？"},
        {"id": "4", "role": "user", "date": "25/03/2024, 09:00:00", "content": "later"},
    ]
    export = {"chat-next-web-store": {"sessions": [{"id": "n", "topic": "早", "memoryPrompt": "a summary", "messages": messages}]}}
    said: list[Said] = [
        ("user", "早", 1709600400),
        ("assistant", "早上好", 1709600401),
        ("user", "几号？", None),
        ("user", "later", 1711328400),
    ]
    return Sample("nextchat", "backup.json", json.dumps(export), said)


def cherrystudio() -> Sample:
    def message(id: str, role: str, blocks: list[str], **more: Any) -> dict[str, Any]:
        return {"id": id, "role": role, "createdAt": "2024-03-05T01:00:00Z", "blocks": blocks, **more}

    messages = [
        message("1", "user", ["x"]),
        message("2", "assistant", ["y"], askId="1"),
        message("3", "assistant", ["z"], askId="1", foldSelected=True),
    ]
    blocks = [{"id": id, "type": "main_text", "content": text} for id, text in (("z", "kept"), ("y", "folded"), ("x", "问"))]
    export = {
        "version": 5,
        "localStorage": {"persist:x": '{"apiKey": "none"}'},
        "indexedDB": {"topics": [{"id": "t", "messages": messages}], "message_blocks": blocks},
    }
    return Sample("cherrystudio", "data.json", json.dumps(export), [("user", "问", 1709600400), ("assistant", "kept", 1709600400)])


def chatbox() -> Sample:
    def said(id: str, role: str, text: str) -> dict[str, Any]:
        return {"id": id, "role": role, "contentParts": [{"type": "text", "text": text}], "timestamp": _AT * 1000}

    session = {"id": "s", "name": "S", "messages": [said("1", "user", "now"), {**said("2", "assistant", "summed up"), "isSummary": True}]}
    export = {
        "settings": {"a": {"b": 1}},
        "session:s": {**session, "threads": [{"id": "t", "messages": [said("3", "user", "before")]}]},
        "chat-sessions": [{"id": "s", "messages": [{"id": "1", "role": "user", "content": "now"}]}],
    }
    return Sample("chatbox", "chatbox.json", json.dumps(export), [("user", "now", _AT), ("user", "before", _AT)])


def sillytavern() -> Sample:
    lines = [
        {"user_name": "Jo", "character_name": "Ada", "chat_metadata": {}},
        {"name": "Ada", "is_user": False, "is_system": False, "send_date": "March 5, 2024 9:00am", "mes": "Hello.", "swipes": ["Hi."]},
        {"name": "Jo", "is_user": True, "is_system": False, "send_date": "2024-3-5@01h00m01s", "mes": "I am a pirate."},
        {"name": "Jo", "is_user": True, "is_system": True, "send_date": None, "mes": "hidden"},
    ]
    content = "\n".join(map(json.dumps, lines)) + "\n\n"
    return Sample("sillytavern", "Ada.jsonl", content, [("assistant", "Hello.", 1709600400), ("user", "I am a pirate.", 1709600401)])


def sharegpt() -> Sample:
    pairs = [{"from": "system", "value": "be kind"}, {"from": "human", "value": "hi"}, {"from": "gpt", "value": "hello"}]
    return Sample("sharegpt", "share.json", json.dumps([{"conversations": pairs}]), [("user", "hi", None), ("assistant", "hello", None)])


def openai() -> Sample:
    messages = [
        {"role": "system", "content": "s"},
        {"role": "user", "content": [{"type": "text", "text": "见图"}, {"type": "image_url", "image_url": {"url": "x"}}]},
        {"role": "assistant", "content": None, "tool_calls": []},
        {"role": "assistant", "content": "好"},
    ]
    return Sample("openai", "m.jsonl", json.dumps({"messages": messages}) + "\r\n\r\n", [("user", "见图", None), ("assistant", "好", None)])


def csv() -> Sample:
    content = '时间,角色,内容\n2024-03-05 09:00:00,用户,"两行\n的话"\n2024-02-31 09:00:00,助手,嗯\n2024-03-05 09:00:02,system,s\n'
    return Sample("csv", "c.csv", content, [("user", "两行\n的话", 1709600400), ("assistant", "嗯", None)])


def wechat() -> Sample:
    content = (
        "2024-03-05 09:00:00 小林\n周末去哪？\n\n2024-03-05 09:00:05 老吴\n我不吃虾。\n引用:小林:周末去哪？\n\n"
        "2024-03-05 09:00:06 老吴\n[图片]\n\n2024-03-05 09:00:07 老吴 撤回了一条消息\n"
    )
    return Sample("wechat", "w.txt", content, [("user", "周末去哪？", 1709600400), ("other", "我不吃虾。", 1709600405)], me="小林")


def memories() -> Sample:
    kept = [
        {
            "id": "m1",
            "memory": "User lives in Oslo",
            "user_id": "jo",
            "created_at": "2024-03-05T01:00:00Z",
            "updated_at": None,
            "hash": "h",
        },
        {"id": "m2", "memory": "用户对花生过敏", "user_id": "jo", "created_at": None, "metadata": {}},
    ]
    said: list[Said] = [("user", "I live in Oslo", 1709600400), ("user", "我对花生过敏", None)]
    return Sample("memories", "mem0.json", json.dumps({"results": kept, "relations": []}), said)


SAMPLES = [
    one()
    for one in (chatgpt, claude, openwebui, lobechat, nextchat, cherrystudio, chatbox, sillytavern, sharegpt, openai, csv, wechat, memories)
]
