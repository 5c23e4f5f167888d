"""How the evaluation sets say what a text must hold: groups of spellings, of which each must occur in one of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from memory.normalise import fold

Groups = Sequence[Sequence[str]]
_NEGATORS = re.compile(r"(?:\bnot|n't|\bno|不是|并非|不再|不)\s*$")


def plain(text: str) -> str:
    """A text as it is compared: width, case and white space do not count."""
    return re.sub(r"\s+", " ", fold(text))


def holds(text: str, groups: Groups) -> bool:
    """Whether each group has a spelling that occurs in the text."""
    said = plain(text)
    tight = said.replace(" ", "")
    return all(any(plain(one) in said or plain(one).replace(" ", "") in tight for one in group) for group in groups)


def occurring(texts: Iterable[str], forbidden: Sequence[str], *, after_not: bool = False) -> list[str]:
    """The forbidden strings that occur in any text; with ``after_not`` one right after a negator ("not X", "不是X") counts too."""
    found = []
    for text in texts:
        said = plain(text)
        for one in forbidden:
            starts = [hit.start() for hit in re.finditer(re.escape(plain(one)), said)]
            if any(after_not or not _NEGATORS.search(said[:start]) for start in starts):
                found.append(one)
    return found
