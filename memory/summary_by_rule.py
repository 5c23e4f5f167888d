"""A summary without a model (R2): sentences cut out of what was said, in its own words.

What the talk is about is what the user began with; what the user thinks are their statements, first those in the first person;
what the assistant decided is how its last reply begins; open is what got no reply, or was put off; a mood is named where words show it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from memory.extract import filter
from memory.extract.protocol import Said
from memory.extract.split import Span, sentences
from memory.normalise import is_chinese, mirror
from memory.sentences import width
from memory.summary import SHARES, Told, shortened

_READ = 4_000
"""Characters read of an utterance: longer ones are pasted."""
_LEAST = 8
"""Letters below which a sentence ("ok", "好的") says nothing."""
_GREETING = re.compile(
    r"^(?:你好|您好|嗨|哈喽|在吗|早上好|晚上好|早安|晚安|谢谢|多谢|好的|继续|hi|hello|hey|good (?:morning|evening)"
    r"|thanks?|thank you|ok(?:ay)?|go on|continue)\b[^\w]*$"
)
_OWN = re.compile(r"我|咱|\b(?:i|i'm|i've|i'd|i'll|my|we|we're|our)\b")
_PUT_OFF = re.compile(
    r"还没|没定|待定|回头|下次|改天|明天|后天|下周|之后再|以后再|再(?:说|看|定|想)|提醒|记得(?!我)"
    r"|\b(?:not yet|later|next time|tomorrow|next week|remind|to-?do|still (?:need|have) to|undecided|follow up)\b"
)
_MOODS = (
    (re.compile(r"烦|气死|受够|崩溃|生气|火大|\bannoy\w*|\bangry\b|\bfed up\b|\bfrustrat\w*|\bugh+\b"), ("烦躁", "annoyed")),
    (re.compile(r"难过|伤心|失望|沮丧|委屈|\bsad\b|\bupset\b|\bdisappoint\w*"), ("低落", "low")),
    (re.compile(r"担心|焦虑|紧张|害怕|着急|压力|\bworr(?:y|ied)\b|\banxious\b|\bnervous\b|\bafraid\b|\bstress\w*"), ("担心", "worried")),
    (re.compile(r"太好了|开心|高兴|太棒|喜欢极了|哈哈|\bgreat\b|\bhappy\b|\bglad\b|\bawesome\b|\bexcited\b"), ("愉快", "pleased")),
)
_MARKUP = re.compile(r"```.*?(?:```|$)|^[ \t]*(?:#{1,6}|[-*+>]|\d+[.)、])[ \t]+|[*_`|]{1,3}", re.DOTALL | re.MULTILINE)


def by_rule(said: Sequence[Said]) -> Told:
    """The five keys of some utterances, oldest first, 200 characters in all. Never raises; empty where nothing was said."""
    own = [_sentences(one.text) if one.role == "user" else [] for one in said]
    spoken = [sentence for sentences in own for sentence in sentences]
    topic = next(iter(spoken), None)
    stated = [one for one in spoken if one is not topic and not _asks(one)]
    view = sorted(stated, key=lambda one: not _OWN.search(mirror(one.text)))
    told = Told(
        topic=shortened(topic.text, SHARES["topic"]) if topic else "",
        user_view=_together([one.text for one in view], SHARES["user_view"]),
        assistant_decision=shortened(_decision(said), SHARES["assistant_decision"]),
        open_items=shortened(_open(said, own), SHARES["open_items"]),
        emotion=_mood(said),
    )
    if told.open_items and told.open_items == told.topic:
        told = replace(told, open_items="")
    return told.within()


def _sentences(text: str) -> list[Span]:
    own = filter.own_words(text[:_READ], ())
    return [one for one in sentences(own) if width(one.text) >= _LEAST and not _GREETING.match(mirror(one.text))]


def _asks(sentence: Span) -> bool:
    return filter.is_question(mirror(sentence.text), sentence.closing)


def _together(texts: Sequence[str], longest: int) -> str:
    """As many whole sentences as there is room for; at least the first, cut if it must be."""
    between = "；" if is_chinese("".join(texts)) else "; "
    found = ""
    for text in dict.fromkeys(texts):
        longer = found + (between if found else "") + " ".join(text.split())
        if len(longer) <= longest:
            found = longer
    return found or (shortened(texts[0], longest) if texts else "")


def _decision(said: Sequence[Said]) -> str:
    reply = next((one.text for one in reversed(said) if one.role == "assistant"), "")
    plain = _MARKUP.sub("", reply[:_READ])
    return next((one.text for one in sentences(plain) if width(one.text) >= _LEAST), " ".join(plain.split()))


def _open(said: Sequence[Said], own: Sequence[Sequence[Span]]) -> str:
    if said and said[-1].role == "user" and own[-1]:
        return own[-1][-1].text
    late = [one for sentences in own for one in sentences if not _asks(one) and _PUT_OFF.search(mirror(one.text))]
    return late[-1].text if late else ""


def _mood(said: Sequence[Said]) -> str:
    for one in reversed(said):
        if one.role == "user":
            for pattern, (chinese, english) in _MOODS:
                if pattern.search(mirror(one.text[:_READ])):
                    return chinese if is_chinese(one.text) else english
    return ""
