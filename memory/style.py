"""How the user wants to be answered: the memories of style that become instructions, not data (R27)."""

from __future__ import annotations

import re

from memory.normalise import mirror
from schemas.memory import GENERAL_SCENE, USER_SUBJECT, Memory

SLOTS = ("要求/回复/", "要求/单位", "要求/日期格式")
_LONGEST = 60
"""Characters: who asks for a manner needs no more, and what needs more is no mere manner."""
_NO_MANNER = re.compile(
    r"https?:|www\.|\b[\w-]+\.(?:com|net|org|cn|io|invalid|example)\b|[<>{}`]|提示词|系统|规则|指令|安全|密码|密钥|隐私|他人|别人|其他用户"
    r"|\bprompts?\b|\bsystem\b|\brules?\b|\binstructions?\b|\bignor|\bsafety\b|\bpasswords?\b|\bsecrets?\b|\bother users?\b|\boverrid"
)

_OVERREACHES = re.compile(
    r"https?:|www\.|(?:所有|其他|其它|别的|每个)(?:用户|人的)|密码|密钥|提示词|(?:忽略|无视|绕过)[^，。]{0,8}(?:规则|指令|限制|安全)"
    r"|\b(?:all|every|other|each) users?\b|\bpasswords?\b|\bapi keys?\b|\bsystem prompt\b"
    r"|\b(?:ignore|override|bypass)\b[^.]{0,20}\b(?:rules?|instructions?|limits?|safety)\b"
)


def overreaches(demand: str) -> bool:
    """Whether a demand wants more than a manner or a service: links in answers, secrets, others' data, rules set aside. Nobody keeps it."""
    return _OVERREACHES.search(mirror(demand)) is not None


def is_style(memory: Memory) -> bool:
    """Whether a memory is in a slot of style that holds everywhere."""
    return memory.key.startswith(SLOTS) and memory.scene == GENERAL_SCENE


def is_instruction(memory: Memory) -> bool:
    """Whether a model may be told to act on it: a short manner that the user asked for in person.

    What was imported, inferred, or reaches beyond manner (links, rules, secrets, others) stays data in quotation marks.
    """
    return (
        is_style(memory)
        and memory.source == "explicit"
        and memory.status == "active"
        and memory.subject == USER_SUBJECT
        and not memory.import_id
        and len(memory.text) <= _LONGEST
        and not _NO_MANNER.search(mirror(memory.text))
    )
