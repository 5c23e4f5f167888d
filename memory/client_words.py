"""Told apart from what a person says: a client's own errands, and what it wraps around a message.

Chat clients ask the model for titles, tags, follow-up questions and summaries of a conversation, each as a chat request of its own, and
paste documents around a question. Neither is anything that the user said: an errand is no turn of a conversation and no memory, and of a
wrapped question only the question counts. What is recognised are the forms that Open WebUI, LobeChat, NextChat, Cherry Studio and
Chatbox send; a person's own wish for a title has none of their marks (a transcript, a demand about form) and stays a turn.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_READ = 4_000
"""Characters that are read at either end of a message: what an errand demands stands there."""
_LONGEST_DEMAND = 600
"""Characters of a demand that is put below a conversation."""

_TRANSCRIPT = re.compile(
    r"</?chat_history>|<(?:user|assistant)>|^\s*[`\"]*(?:user|assistant)\s*[:：]|[\"']role[\"']\s*:\s*[\"'](?:user|assistant)",
    re.IGNORECASE | re.MULTILINE,
)
_TEMPLATE = re.compile(r"^\s*#{1,3} ?Task:?", re.IGNORECASE)
_OF_TALK = r"(?:conversation|chat|discussion|session|dialogue|messages?|会话|对话|聊天|话题|談話|讨论)"
_PRODUCT = r"(?:title|topic|name|tags?|follow[- ]?ups?|summar\w+|takeaways|emoji|search quer\w+|标题|主题|标签|总结|摘要|命名|表情)"
_DEMAND = re.compile(rf"{_PRODUCT}.{{0,300}}?{_OF_TALK}|{_OF_TALK}.{{0,300}}?{_PRODUCT}", re.IGNORECASE | re.DOTALL)
_BELOW = re.compile(
    r"(?:返回|总结|概括|生成).{0,30}(?:主题|标题).{0,60}不要(?:解释|使用标点|标点)"
    r"|总结一下.{0,20}(?:对话|会话|讨论).{0,40}(?:提示|prompt)"
    r"|title (?:summari[sz]ing|for) (?:our|this|the) (?:conversation|chat).{0,80}without"
    r"|summari[sz]e the (?:discussion|conversation).{0,80}prompt for future context",
    re.IGNORECASE | re.DOTALL,
)
_NO_TALK = re.compile(
    r"<translate_input>|reflect the speaker'?s likely facial expression"
    r"|^you have been provided with a set of responses from various models",
    re.IGNORECASE,
)
_TRANSLATION = re.compile(r"output only the translated text|擅长翻译的助理|assistant skilled in translation", re.IGNORECASE)
_ONE_EMOJI = re.compile(r"output only a single emoji|只(?:能)?(?:返回|输出)一个\s*emoji", re.IGNORECASE)

_INJECTED = re.compile(
    r"\n*<!-- SYSTEM CONTEXT \(NOT PART OF USER QUERY\) -->.*?(?:<!-- END SYSTEM CONTEXT -->|\Z)", re.DOTALL | re.IGNORECASE
)
_ASKED_INSIDE = (
    re.compile(r"^\s*### Task:.*<user_query>\s*(?P<said>.*?)\s*</user_query>", re.DOTALL),
    re.compile(r"^\s*### Task:.*</context>\s*(?P<said>.+?)\s*$", re.DOTALL),
    re.compile(r"^.{0,2000}?## My question is:\s*(?P<said>.*?)\s*## Reference Materials:", re.DOTALL),
)


def is_errand(messages: Sequence[tuple[str, str]]) -> bool:
    """Whether a request, as (role, text) in its order, is the client's own and not its user's."""
    spoken = [text for role, text in messages if role in ("user", "assistant")]
    system = "\n".join(_ends(text) for role, text in messages if role in ("system", "developer"))
    if not messages or not spoken:
        return False
    role, last = messages[-1]
    ends = _ends(last)
    if len(last) <= _LONGEST_DEMAND and role in ("user", "system", "developer") and len(messages) > 1 and _BELOW.search(last):
        return True
    if _ONE_EMOJI.search(system):
        return True
    if len(spoken) > 1 or role == "assistant":
        return False
    if _NO_TALK.search(ends) or _TRANSLATION.search(system):
        return True
    if _TEMPLATE.match(last):
        return "chat_history" in ends and said_of_it(last) == last
    return _TRANSCRIPT.search(ends) is not None and _DEMAND.search(f"{system}\n{_without_talk(ends)}") is not None


def said_of_it(text: str) -> str:
    """What the user said of a message that a client has wrapped: without documents, search results and instructions of its own."""
    text = _INJECTED.sub("", text)
    for form in _ASKED_INSIDE:
        if (found := form.match(text)) is not None and found["said"]:
            return found["said"]
    return text


def _ends(text: str) -> str:
    return text if len(text) <= 2 * _READ else f"{text[:_READ]}\n{text[-_READ:]}"


def _without_talk(text: str) -> str:
    """The demand alone: a transcript that speaks of titles asks for none."""
    text = re.sub(r"<chat_history>.*?</chat_history>", "", text, flags=re.DOTALL | re.IGNORECASE)
    return "\n".join(line for line in text.splitlines() if not _TRANSCRIPT.search(line))
