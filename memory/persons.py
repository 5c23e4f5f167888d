"""Whom a text is about besides the user: relations ("我妈", "my wife"), owners by name ("Yuki's"): one's birthday is not another's."""

from __future__ import annotations

import re

from memory.normalise import mirror

_RELATIONS = (
    ("mother", r"妈|母亲|\bmum\b|\bmom\b|\bmother\b"),
    ("father", r"爸|父亲|\bdad\b|\bfather\b"),
    (
        "partner",
        r"爱人|对象|老公|老婆|妻子|丈夫|媳妇|男友|女友|男朋友|女朋友|\bwife\b|\bhusband\b|\bpartner\b|\bboyfriend\b|\bgirlfriend\b|\bfianc",
    ),
    ("child", r"儿子|女儿|孩子|闺女|\bsons?\b|\bdaughters?\b|\bkids?\b|\bchild(?:ren)?\b"),
    ("brother", r"哥|弟|\bbrothers?\b"),
    ("sister", r"姐|妹|\bsisters?\b"),
    ("grandparent", r"爷爷|奶奶|外公|外婆|姥姥|姥爷|\bgrand(?:ma|pa|mother|father|parents?)\b"),
    ("colleague", r"同事|\bcolleagues?\b|\bco-?workers?\b"),
    ("boss", r"老板|领导|上司|\bboss\b|\bmanager\b"),
    ("friend", r"朋友(?!圈)|闺蜜|\bfriends?\b"),
    ("neighbour", r"邻居|\bneighbou?rs?\b"),
    ("roommate", r"室友|舍友|\b(?:room|flat)mates?\b"),
)
_PATTERNS = [(name, re.compile(words)) for name, words in _RELATIONS]
_OWNER = re.compile(r"\b([A-Z][a-z]+)['’]s\b")
_NOT_NAMES = {"It", "That", "There", "What", "Where", "Who", "How", "Let", "He", "She", "Here", "When", "Today", "Tomorrow"}
_RELATED = frozenset(name for name, _ in _RELATIONS)
_TOGETHER = re.compile(r"^(?:我|i )(?:和|跟|与|同|给|陪|带|帮|替|and )")
_FIRST_WORDS = re.compile(r"^\W*(?:[\u3400-\u9fff]{1,6}|(?:[\w'’-]+\s+){0,2}[\w'’-]+)")
_OF_ALL = re.compile(r"谁|我们|咱|家里|我家|全家|大家|所有人|一家|\bwho|\bour\b|\bwe\b|\bfamily\b|\beveryone\b|\banyone\b|\bhousehold\b")
_NAMED = re.compile(r"叫(?:做)?\s*([\u4e00-\u9fff]{2,3}?|[A-Za-z]{2,})(?=$|[，,。；;.!！\s])|\b(?:called|named)\s+([A-Z][a-z]+)")


def persons(text: str) -> frozenset[str]:
    """Relations and owners that a text names; empty: it is about the user."""
    plain = mirror(text)
    owners = {name.lower() for name in _OWNER.findall(text) if name not in _NOT_NAMES}
    return frozenset({name for name, pattern in _PATTERNS if pattern.search(plain)} | owners)


def holders(text: str) -> frozenset[str]:
    """Of whom a statement tells, where it begins with somebody else ("我妈不吃辣", "Yuki's desk …"); empty: of the user, whoever is met."""
    first = _FIRST_WORDS.match(text)
    if first is None or _TOGETHER.match(mirror(text)):
        return frozenset()
    return persons(first[0])


def about_all(question: str) -> bool:
    """Whether a question is about a family or whoever it may be: then nobody is somebody else."""
    return _OF_ALL.search(mirror(question)) is not None


def apart(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether these are surely other persons: two relations, or two names; a name may be anybody's relation."""
    return bool(one and other) and not one & other and (one <= _RELATED) == (other <= _RELATED)


def name_given(text: str) -> str | None:
    """The name that a text gives somebody ("我家的狗叫豆包" → 豆包); None where it gives none."""
    found = _NAMED.search(text)
    return (found[1] or found[2]) if found else None
