"""WeChat as text: "2024-05-01 09:00:00 NAME", the message below it, a blank line. Which of the people is the owner must be told."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from jobs.imports.conversation import Problem, Reading, Told, Utterance
from jobs.imports.document import Document
from jobs.imports.shape import Shape
from jobs.imports.text import said
from jobs.imports.times import iso

_HEAD = re.compile(r"^(\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}) (\S.{0,63})$")
_NOTICE = re.compile(r"撤回了一条消息|拍了拍|加入了?群聊|邀请.{1,40}加入|修改群名|recalled a message|领取了.{0,20}红包")
_PLACEHOLDER = re.compile(r"^\[[^\[\]\n]{1,12}\]$|^\s*\[(?:链接|文件|音乐与音频|小程序|位置|转账|红包|名片|视频号|合并转发的聊天记录)\]")
_QUOTED = re.compile(r"^引用[:：]", re.MULTILINE)


class WeChat:
    """What others say has the role ``other`` and their name; pictures, cards, notices and quoted lines are left out."""

    name = "wechat"

    def recognises(self, shape: Shape) -> bool:
        """See :class:`Reader`."""
        first = next((line for line in shape.head if line.strip()), "")
        return shape.kind == "text" and bool(_HEAD.match(first.strip("\ufeff")))

    def read(self, document: Document, shape: Shape, how: Reading) -> Iterator[Told | Problem]:
        """See :class:`Reader`. Raises InvalidRequest that names the people where the owner is not among them."""
        utterances: list[Utterance] = []
        speakers: dict[str, int] = {}
        for at, name, body in _messages(document):
            if _NOTICE.search(name) or not (text := _words(body)):
                continue
            speakers[name] = speakers.get(name, 0) + 1
            utterances.append(Utterance("user" if name == how.me else "other", text, iso(at, how.zone), name))
        if utterances and how.me not in speakers:
            people = ", ".join(sorted(speakers, key=lambda name: -speakers[name])[:20])
            whose = f"nobody in it is called {how.me!r}" if how.me else "it does not say which of the people is you"
            raise document.unreadable(f"{whose}: give the name with --me NAME; in it speak {people}")
        yield Told(document.stem, utterances, document.stem, opaque=True)


def _messages(document: Document) -> Iterator[tuple[str, str, str]]:
    at = name = ""
    body: list[str] = []
    after_blank = True
    with document.text() as text:
        for line in text:
            line = line.rstrip("\r\n")
            if after_blank and (hit := _HEAD.match(line.strip("\ufeff"))) and _is_time(hit[1]):
                if at:
                    yield at, name, "\n".join(body)
                at, name, body = hit[1], hit[2].strip(), []
            else:
                body.append(line)
            after_blank = not line.strip()
    if at:
        yield at, name, "\n".join(body)


def _is_time(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _words(body: str) -> str:
    if quoted := _QUOTED.search(body):
        body = body[: quoted.start()]
    text = said(body)
    return "" if _PLACEHOLDER.match(text) or _NOTICE.fullmatch(text) else text
