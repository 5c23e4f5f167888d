"""Masking of a text before it is stored or leaves the machine (R32): secrets and document numbers, addresses, phones, plates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from memory.normalise import mirror
from memory.privacy.contact import addresses, mails, phones, plates
from memory.privacy.documents import cards, identity_numbers, passports
from memory.privacy.secrets import api_keys, one_time_codes, passwords, private_keys, seed_phrases

Category = Literal[
    "private_key", "seed_phrase", "api_key", "password", "otp", "id_card", "bank_card", "passport", "mail", "phone", "address", "plate"
]
Finder = Callable[[str, str], Iterable[tuple[int, int]]]

_FINDERS: tuple[tuple[Category, Finder], ...] = (
    ("private_key", private_keys),
    ("seed_phrase", seed_phrases),
    ("api_key", api_keys),
    ("password", passwords),
    ("otp", one_time_codes),
    ("id_card", identity_numbers),
    ("bank_card", cards),
    ("passport", passports),
    ("mail", mails),
    ("phone", phones),
    ("address", addresses),
    ("plate", plates),
)
NEVER: frozenset[Category] = frozenset({"private_key", "seed_phrase", "api_key", "password", "otp", "id_card", "bank_card", "passport"})
"""Never stored; the others are masked and the rest of the text is kept."""
_MARKS: dict[Category, tuple[str, str]] = {
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


def redact(text: str) -> Redaction:
    """``text`` with everything masked that may not be stored. Pure; linear in the length for all practical texts."""
    found = list(_apart(text))
    if not found:
        return Redaction(text)
    chinese = any("\u3400" <= char <= "\u9fff" for char in text)
    pieces: list[str] = []
    end = 0
    for one in found:
        pieces += [text[end : one.start], _MARKS[one.category][0 if chinese else 1]]
        end = one.end
    return Redaction("".join([*pieces, text[end:]]), tuple(found))


def _apart(text: str) -> Iterator[Found]:
    """What the finders see, the stricter first where they overlap, in the order of the text."""
    plain = mirror(text)
    taken: list[Found] = []
    for category, find in _FINDERS:
        for start, end in find(text, plain):
            if start < end and all(end <= one.start or start >= one.end for one in taken):
                taken.append(Found(category, start, end))
    yield from sorted(taken, key=lambda one: one.start)
