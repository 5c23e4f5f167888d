"""Statements in forms that no rule knows: a head over the embedder tells what lasts and of which kind it is (R6, R9).

It is asked about whole sentences that the filters let through and the rules left unread, and says nothing where it is in doubt.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.extract import filter
from memory.extract.dates import absolute
from memory.extract.former import without_former
from memory.extract.importance import importance
from memory.extract.protocol import Passage
from memory.extract.topics import bare, style_topic, thing
from memory.heads import QUOTED, Head, hints, load
from memory.normalise import is_chinese, mirror
from memory.ports import Embedder, Floats
from memory.statement import Statement
from schemas.memory import Kind

HEAD, KEEP_HEAD = "statements", "lasting"
LASTING = ("demand", "preference", "profile", "fact", "action", "correction")
"""Classes of what lasts; ``action`` is a fact within a task ("the rent is 3600 now, change the sheet")."""
KEEP = ("passing", "lasting")
_SURE = 0.85
"""How likely a sentence must be to last. High: a memory that should not be there does more harm than one that comes a week later."""
_WORTH_A_LOOK = 0.02
"""From so likely on a sentence may still change what is known already ("raise it to 550"), though it says nothing by itself."""
_SHORTEST, _LONGEST = 4, 200
"""Characters of a sentence that is looked at."""
_LONG = {True: 25, False: 70}
_KINDS: dict[str, Kind] = {
    "demand": "preference",
    "preference": "preference",
    "profile": "profile",
    "fact": "fact",
    "action": "fact",
    "correction": "fact",
}
_VERBS = "set|block|add|put|remind|book|draft|cancel|list|make|update|change|note|tell|send|order|reserve|move|invite|file|fix|wake|let"
_TASK = re.compile(
    r"^(?:所以|那就?)?(?:帮|请|麻烦|把|给我(?:记|加|设|订|改|发|留|定|提醒|列|算|空)|记(?:到|进|上|入|一下)|加(?:到|进|上|个)|提醒|通知|设个?|定个|订个|更新"
    r"|改一下|算一下|列|开个|发(?:给|个)|留出|准备|通讯录|合同归档)"
    rf"|^(?:so |and |please |then )*(?:{_VERBS})\b"
)
_ONE_TASK = re.compile(
    r"^(?:请|麻烦)?(?:你)?(?:帮|给|替)(?:我|忙)(?:写|做|改|查|算|翻|找|看|想|列|起|画|选|润|总结|设计|推荐|整理|解释)"
    r"|^(?:请|麻烦)?(?:你)?(?:帮|给|替)(?:我)?[\u4e00-\u9fff]{0,4}?(?:写|做|选|挑|买|订|想|查|找|拟|编|画|起)(?:一?(?:个|份|几|点|张|束|套|本|下|首|段|篇|封|条|款|句))"
    r"|^(?:请|麻烦)?(?:帮我|给我)?(?:定|设|开|来)(?:一?个)[^，,]{0,8}(?:闹钟|计时|倒计时)|^(?:倒)?计时"
    r"|^(?:please )?(?:help me|write|create|find|translate|summari[sz]e|draft|explain|proofread|design|generate|pick (?:out )?an?"
    r"|(?:set|start) (?:a|an|the) (?:\w+[- ])*(?:timer|alarm|countdown|reminder))\b"
)
"""An order about one piece of work, unless it says that it stands."""
_BREAK_EN = re.compile(rf"[,;]\s+(?:so |and |then |please )*(?=(?:{_VERBS})\b)", re.I)
_ABOUT_US = re.compile(r"用户|助手|助理必须|系统(?:提示|指令)|\b(?:the )?user\b|\bassistant\b|\bsystem\b|\bprompt\b|\binstructions?\b")
"""Who speaks of "the user" is not the user: pasted text, or an order to the model in it."""
_REASON = re.compile(
    r"^[^，,]{2,30}[，,]\s*(?=(?:所以|那就?)?(?:还是|换回|改回|恢复|改成|改为|换成|提高到|降到|调到|加到|提前到|推迟到))"
    r"|^[^,]{4,80},\s*(?:so |and )?(?=(?:i'?m |we'?re )?back (?:on|to)\b|(?:let'?s )?make it\b|let'?s say\b|go back\b)",
    re.I,
)
"""Why something changes stands before what it changes to ("深色看着眼睛花，还是换回浅色"): the reason names the old value."""
_OTHERS_FIRST = re.compile(r"^(?:我(?:的)?|我们)?(?:同事|室友|朋友|老板|领导|邻居|同学|他们?|她们?|别人|大家)[^，,]{1,20}[，,](?=我)")
"""What others do stands before what the user does ("我同事喜欢加班，我可不行")."""


@dataclass(frozen=True)
class Sentence:
    """A sentence as said, openers and closing particles off."""

    text: str
    closing: str


class GeneralReader:
    """Reads what rules leave. Without a head for its embedder it reads nothing."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._head, self._keep = (load("memory", name, embedder.name) for name in (HEAD, KEEP_HEAD))

    @property
    def taught(self) -> bool:
        """Whether there are heads for the embedder."""
        return self._head is not None and self._keep is not None

    def read(self, sentences: Sequence[Sentence], passage: Passage) -> list[Statement]:
        """Statements of those sentences that last, in order."""
        open_ = [one for one in sentences if _may_last(one)]
        if not open_ or self._head is None or self._keep is None:
            return []
        texts = [bared(one.text) for one in open_]
        vectors = self._embedder.query(texts)
        lasting = self._keep.shares(table(texts, vectors, self._keep))[:, KEEP.index("lasting")]
        classes = self._head.shares(table(texts, vectors, self._head)).argmax(1)
        return [
            _statement(one, LASTING[best], passage, sure=bool(share >= _SURE))
            for one, share, best in zip(open_, lasting, classes, strict=True)
            if share >= _WORTH_A_LOOK
        ]


def bared(text: str) -> str:
    """A sentence without the mark at its end: it is not always there."""
    return text.rstrip(" 。.!！~～…")


def table(texts: Sequence[str], vectors: Floats, head: Head) -> NDArray[np.float64]:
    """Features of a head, shape (n, features): the vectors (n, dim) of the bared sentences, word hints, what the filters say, length."""
    chinese = np.array([is_chinese(text) for text in texts])
    return np.hstack([3.0 * head.centred(np.asarray(vectors, dtype=np.float64), chinese), np.array([_hints(text) for text in texts])])


def _hints(text: str) -> list[float]:
    plain = mirror(text)
    said = QUOTED.sub("", plain)
    return [
        *(float(bool(hint.search(said))) for hint in hints("memory", "statements").values()),
        *(float(mood == filter.mood(plain)) for mood in ("once", "hedged")),
        float(filter.says_nothing_lasting(plain) is not None),
        float(filter.is_question(plain, "?" if text.rstrip().endswith(("?", "？")) else "")),
        float(filter.quotes_others(plain)),
        float(said != plain),
        min(len(text) / _LONG[is_chinese(text)], 2.0),
    ]


def _may_last(one: Sentence) -> bool:
    plain = mirror(one.text)
    if _ABOUT_US.search(plain) or plain.count("“") != plain.count("”") or plain.count('"') % 2:
        return False
    if _ONE_TASK.search(plain) and not hints("memory", "statements")["standing"].search(plain):
        return False
    return (
        _SHORTEST <= len(one.text) <= _LONGEST
        and not filter.is_question(plain, one.closing)
        and not filter.quotes_others(plain)
        and filter.says_nothing_lasting(plain + one.closing) is None
    )


def _statement(one: Sentence, label: str, passage: Passage, *, sure: bool) -> Statement:
    text = _OTHERS_FIRST.sub("", one.text)
    text = _fact_of(text) if label in ("action", "fact", "correction") else text
    text = without_former(_REASON.sub("", text, count=1) or text)
    plain = mirror(text)
    day = absolute(plain, passage.at.astimezone(passage.zone).date()) if label in ("action", "fact") else None
    dated = f"（{day}）" if is_chinese(text) else f" ({day})"
    mood = filter.mood(plain)
    points = importance(
        personal=True,
        reusable=mood != "once",
        explicit=True,
        asks=label == "demand",
        correction=label == "correction",
        timebound=day is not None,
    )
    return Statement(
        kind="event" if day is not None else _KINDS[label],
        key=_key(text, label),
        text=text + dated if day else text,
        value=text,
        cue=f"head: {label}",
        confidence=0.8,
        importance=points,
        correction=label == "correction",
        mood="plain" if day is not None and sure else mood,
        only_if_known=not sure,
    )


def _key(text: str, label: str) -> str:
    if label == "demand":
        return f"要求/{style_topic(text) or bare(text)}"
    return f"偏好/{thing(text)[:24]}" if label == "preference" else f"自述/{bare(text)}"


def _fact_of(text: str) -> str:
    """The sentence without the order that comes with it ("…涨到三千六，帮我改一下模板")."""
    pieces = re.split(r"[，,]\s*", text) if is_chinese(text) else _BREAK_EN.split(text)
    kept = [piece for piece in pieces if piece and not _TASK.search(mirror(piece))]
    if not kept:
        return text
    start, end = text.index(kept[0]), text.rindex(kept[-1]) + len(kept[-1])
    return text[start:end]
