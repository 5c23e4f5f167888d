"""Which memories "forget …" names: those that hold its words, or all of a sensitive matter (R30)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memory.normalise import statement_key
from memory.privacy import Sensitive, withhold
from schemas.memory import Memory

_LEAST_HAN, _LEAST_LETTERS = 2, 3
"""What is shorter, a pronoun say, occurs in anything."""
_MATTER_WORDS: tuple[tuple[Sensitive, re.Pattern[str]], ...] = (
    ("health", re.compile(r"^(?:健康|病情|病史|身体|health|medical)")),
    ("religion", re.compile(r"^(?:宗教|信仰|religio|faith)")),
    ("politics", re.compile(r"^(?:政治|politic)")),
    ("government", re.compile(r"^(?:涉官|官司|案件|legal|official)")),
)
_ABOUT_A_MATTER = re.compile(
    r"^(?:my |the )?(?P<words>.{2,12}?)(?:的)?(?:信息|情况|资料|状况|数据|事情?|立场|information|details?"
    r"|data|history|records?|matters?)?$"
)


def named(memories: Iterable[Memory], about: str) -> list[Memory]:
    """The memories whose text holds the words of ``about``, whose slot is called so, or that are of the matter it names."""
    wanted = statement_key(about)
    rows = list(memories)
    found = [memory for memory in rows if _holds(statement_key(memory.text), wanted) or wanted in memory.key.casefold().split("/")]
    if found or (matter := _matter(wanted)) is None:
        return found
    return [memory for memory in rows if matter in withhold(memory.text, frozenset({matter})).matters]


def _holds(text: str, wanted: str) -> bool:
    if wanted.isascii():
        bounded = rf"(?<![a-z0-9]){re.escape(wanted)}(?![a-z0-9])"
        return len(wanted) >= _LEAST_LETTERS and re.search(bounded, text) is not None
    return len(wanted) >= _LEAST_HAN and wanted in text


def _matter(wanted: str) -> Sensitive | None:
    whole = _ABOUT_A_MATTER.match(wanted)
    words = whole["words"] if whole else wanted
    return next((matter for matter, pattern in _MATTER_WORDS if pattern.match(words)), None)
