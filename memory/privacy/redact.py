"""Masking of a text before it is stored or leaves the machine (R32): secrets and document numbers, addresses, phones, plates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from memory.privacy.addresses import addresses
from memory.privacy.cards import cards, ibans
from memory.privacy.contact import mails, phones, plates
from memory.privacy.documents import identity_numbers, passports, regional_numbers
from memory.privacy.keys import PEM_END, api_keys, private_keys, seed_phrases
from memory.privacy.passwords import asked_for, one_time_codes, passwords
from memory.privacy.plain import Plain

Category = Literal[
    "private_key", "seed_phrase", "api_key", "password", "otp", "id_card", "bank_card", "passport", "mail", "phone", "address", "plate"
]
Finder = Callable[[Plain], Iterable[tuple[int, int]]]

_FINDERS: tuple[tuple[Category, Finder], ...] = (
    ("private_key", private_keys),
    ("seed_phrase", seed_phrases),
    ("api_key", api_keys),
    ("password", passwords),
    ("otp", one_time_codes),
    ("id_card", identity_numbers),
    ("id_card", regional_numbers),
    ("bank_card", cards),
    ("bank_card", ibans),
    ("passport", passports),
    ("mail", mails),
    ("phone", phones),
    ("address", addresses),
    ("plate", plates),
)
_STRICTEST = {category: rank for rank, (category, _) in reversed(list(enumerate(_FINDERS)))}
NEVER: frozenset[Category] = frozenset({"private_key", "seed_phrase", "api_key", "password", "otp", "id_card", "bank_card", "passport"})
"""Never stored; the others are masked and the rest of the text is kept."""
MARKS: dict[Category, tuple[str, str]] = {
    "private_key": ("[私钥]", "[private key]"),
    "seed_phrase": ("[助记词]", "[seed phrase]"),
    "api_key": ("[密钥]", "[key]"),
    "password": ("[密码]", "[password]"),
    "otp": ("[验证码]", "[code]"),
    "id_card": ("[身份证号]", "[ID number]"),
    "bank_card": ("[银行卡号]", "[card number]"),
    "passport": ("[护照号]", "[passport number]"),
    "mail": ("[邮箱]", "[mail address]"),
    "phone": ("[电话]", "[phone]"),
    "address": ("[地址]", "[address]"),
    "plate": ("[车牌]", "[plate]"),
}
_WINDOW = 8_192
"""Long texts are read in windows, so that the cost of a character is the same in all and other threads get their turn between."""
_EDGE = 512
"""What a window sees beyond its own part: longer than any pattern reaches."""
_SEAM = 120
"""Characters of the neighbouring texts that are read together with a text."""
_WORD_REST = re.compile(r"[!-~]*")


@dataclass(frozen=True)
class Found:
    """One thing that was masked: its place in the original text, not its words."""

    category: Category
    start: int
    end: int


@dataclass(frozen=True)
class Redaction:
    """``text`` is safe to store; ``found`` says what was masked, in order. Nothing found: ``text`` is the original, byte for byte."""

    text: str
    found: tuple[Found, ...] = ()

    @property
    def never(self) -> bool:
        """Whether something of the kind that may not be stored was in it: no memory is made of such a statement."""
        return any(one.category in NEVER for one in self.found)


def redact(text: str, *, before: str = "", after: str = "", question: str = "") -> Redaction:
    """``text`` with everything masked that may not be stored. Pure; linear in the length.

    ``before`` and ``after`` are what the same person said next to it: a number that goes on across the border is masked on this side
    of it. ``question`` is what somebody else said just before: the answer to "your password?" is one.
    """
    found = _merged([*_windowed(text), *_across(text, before, after), *_answered(text, question)])
    if not found:
        return Redaction(text)
    chinese = any("\u3400" <= char <= "\u9fff" for char in text)
    pieces: list[str] = []
    end = 0
    for one in found:
        pieces += [text[end : one.start], MARKS[one.category][0 if chinese else 1]]
        end = one.end
    return Redaction("".join([*pieces, text[end:]]), tuple(found))


def redact_all(texts: Sequence[str]) -> list[Redaction]:
    """Texts that follow one another (messages, parts of one): a secret that was cut between them is masked in each."""
    return [redact(text, before=before, after=after) for text, (before, after) in zip(texts, neighbours(texts), strict=True)]


def neighbours(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Of each text the few characters before and after it, over as many texts as they lie in."""
    before, after = [""], [""]
    for text in texts:
        before.append(f"{before[-1]}\n{text[-_SEAM:]}"[-_SEAM:].lstrip("\n"))
    for text in reversed(texts):
        after.append(f"{text[:_SEAM]}\n{after[-1]}"[:_SEAM].rstrip("\n"))
    return list(zip(before[:-1], after[-2::-1], strict=True)) if texts else []


def _windowed(text: str) -> list[Found]:
    found: list[Found] = []
    for own in range(0, len(text), _WINDOW):
        first, last = max(0, own - _EDGE), min(len(text), own + _WINDOW + _EDGE)
        for one in _seen(text[first:last]):
            if own <= first + one.start < own + _WINDOW:
                found.append(Found(one.category, first + one.start, _end(text, one.category, first + one.end, last)))
    return found


def _end(text: str, category: Category, end: int, last: int) -> int:
    """The end of what reaches beyond its window: a key block ends at its own mark, other things with their word."""
    if end < last or last == len(text):
        return end
    if category == "private_key":
        mark = PEM_END.search(text, end)
        return mark.end() if mark else len(text)
    rest = _WORD_REST.match(text, end)
    return rest.end() if rest else end


def _across(text: str, before: str, after: str) -> list[Found]:
    """What comes to light only together with the neighbours: read at the two ends, cut to this text."""
    found: list[Found] = []
    if before and text:
        head = before[-_SEAM:] + "\n"
        shift = len(head)
        whole = head + text[:_SEAM] + (("\n" + after[:_SEAM]) if after and len(text) <= _SEAM else "")
        found += _within(whole, -shift, min(len(text), _SEAM))
    if after and text and not (before and len(text) <= _SEAM):
        tail = text[-_SEAM:]
        found += [
            Found(one.category, one.start + len(text) - len(tail), one.end + len(text) - len(tail))
            for one in _within(tail + "\n" + after[:_SEAM], 0, len(tail))
        ]
    return found


def _answered(text: str, question: str) -> list[Found]:
    if not question:
        return []
    plain = Plain(text[:_SEAM])
    span = asked_for(Plain(question[-_SEAM:]).low, plain.low)
    return [Found("password", *plain.span(*span))] if span else []


def _within(whole: str, shift: int, length: int) -> list[Found]:
    moved = [(one.category, max(0, one.start + shift), min(length, one.end + shift)) for one in _seen(whole)]
    return [Found(category, start, end) for category, start, end in moved if start < end]


def _seen(text: str) -> list[Found]:
    """What the finders see in a text of bounded length."""
    plain = Plain(text)
    return [Found(category, *plain.span(start, end)) for category, find in _FINDERS for start, end in find(plain) if start < end]


def _merged(found: list[Found]) -> list[Found]:
    """In the order of the text; what overlaps becomes one, called by the strictest."""
    apart: list[Found] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        last = apart[-1] if apart else None
        if last is not None and one.start < last.end:
            category = min(last.category, one.category, key=_STRICTEST.__getitem__)
            apart[-1] = Found(category, last.start, max(last.end, one.end))
        else:
            apart.append(one)
    return apart
