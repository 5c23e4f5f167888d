"""What another program wrote down about its user, in the user's own person: "User lives in Oslo" → "I live in Oslo"."""

from __future__ import annotations

import re
from typing import Final

_VERB: Final = (
    "is|are|was|has|had|does|did|prefers|likes|dislikes|loves|hates|enjoys|lives|works|wants|needs|uses|owns|speaks|plays|studies|knows|"
    "drinks|eats|drives|runs|reads|writes|plans|goes|teaches|learns|takes|keeps|thinks|believes|cooks|travels|avoids|attends|manages|"
    "leads|finds|values"
)
_IRREGULAR: Final = {"is": "am", "are": "am", "has": "have", "does": "do", "goes": "go", "was": "was", "had": "had", "did": "did"}
_SUBJECT = re.compile(r"^(?:the\s+)?user(?P<owns>['’]s)?\s+", re.I)
_OMITTED = re.compile(rf"^(?:{_VERB})\b")
_PREDICATE = re.compile(rf"(?P<before>^I (?:\w+ly )?|\b(?:and|but|or) (?:\w+ly )?)(?P<verb>{_VERB})(?P<not>n['’]t)?\b")
_UNKNOWN = re.compile(rf"^(?!(?:{_VERB}|always|sometimes|nowadays|perhaps)\b)[a-z]+s\b", re.I)
_OTHERS = re.compile(r"\b(?:he|she|they|him|her|hers|them|his|their|theirs|himself|herself|themselves|who|which|that)\b", re.I)
_CHINESE = re.compile(r"^(?:该|这位|此)?用户(?!们|名|群|体验|界面|端|组|数|量|画像|研究)")
_BULLET = re.compile(r"^\s*(?:[-*•·–]\s+|\d{1,3}[.)、]\s*)")


def line_of(text: str) -> str:
    """A line of a list without its bullet or number."""
    return _BULLET.sub("", text).strip()


def opens(text: str) -> bool:
    """Whether a line begins as a statement about the user: "User …", "Prefers …", "用户…", or in the first person."""
    first = text[:1].lower() + text[1:]
    return bool(_SUBJECT.match(text) or _OMITTED.match(first) or _CHINESE.match(text) or re.match(r"(?:I|My|I['’]m)\b|我", text))


def first_person(text: str) -> str:
    """The statement as the user would say it; left as it is where another pronoun or verb makes that unsure."""
    if _CHINESE.match(text):
        rest = _CHINESE.sub("", text)
        return text if re.search(r"[他她]", rest) else "我" + rest.removeprefix("本人").lstrip("：: ")
    subject = _SUBJECT.match(text)
    rest = text[subject.end() :] if subject else text[:1].lower() + text[1:]
    if not (subject or _OMITTED.match(rest)) or _OTHERS.search(rest):
        return text
    if subject and subject["owns"]:
        return f"My {rest}"
    if _UNKNOWN.match(rest):
        return text
    return _PREDICATE.sub(lambda hit: hit["before"] + _base(hit["verb"]) + (hit["not"] or ""), f"I {rest}")


def _base(verb: str) -> str:
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith("ies"):
        return verb[:-3] + "y"
    return verb[:-2] if verb.endswith(("ches", "shes", "sses", "xes", "zes")) else verb[:-1]
