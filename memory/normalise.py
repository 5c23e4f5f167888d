"""Folding for comparison only: what two spellings of one statement have in common. Stored and shown text is never touched."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import cache

import opencc

_HAN = re.compile(r"[\u3400-\u9fff]")
_EDGES = " \t\r\n\u3000.,;:!?。，；：！？、~～…\"'“”‘’「」『』()（）"
_FIRST_PERSON = re.compile(r"^(?:the user|用户|user|我自己|我本人|我)(?:的)?", re.IGNORECASE)
_FILLER = re.compile(r"(?:的|了|呢|啊|哦|呀|吧|哈|嘛|啦|\s)+$")


@cache
def simplified() -> dict[int, str]:
    """Traditional to simplified, character by character, so that offsets stay (OpenCC's own table: 3,700 entries, 60 ms once)."""
    han = [chr(code) for code in range(0x3400, 0xA000)]
    simple = opencc.OpenCC("t2s").convert("\n".join(han)).split("\n")
    return {ord(one): other for one, other in zip(han, simple, strict=True) if one != other and len(other) == 1}


@cache
def _narrow(char: str) -> str:
    folded = unicodedata.normalize("NFKC", char).lower()
    return folded if len(folded) == 1 else char


def mirror(text: str) -> str:
    """``text`` folded by width, case and script, of exactly the same length: rules match on it, and cut from the text itself."""
    return "".join(map(_narrow, text.translate(simplified())))


def fold(text: str) -> str:
    """The key under which two spellings of a text are the same: NFKC, case, script, white space, punctuation at the edges."""
    plain = unicodedata.normalize("NFKC", text).translate(simplified()).casefold()
    return " ".join(plain.split()).strip(_EDGES)


def statement_key(text: str) -> str:
    """:func:`fold`, and the one who speaks ("我", "用户", "the user") and closing particles do not count either."""
    return _FILLER.sub("", _FIRST_PERSON.sub("", fold(text)).strip(_EDGES)).strip(_EDGES)


def squeeze(text: str) -> str:
    """Letters, digits and symbols alone: white space, punctuation and letter case gone (for comparing copies of a message)."""
    return "".join(char for char in fold(text) if not char.isspace() and unicodedata.category(char)[0] != "P")


def is_chinese(text: str) -> bool:
    """Whether a text is to be read as Chinese: one Han character counts as much as one Latin word."""
    han = len(_HAN.findall(text))
    return han > 0 and han >= len(re.findall(r"[A-Za-z]+", text))


def digest(*parts: str) -> str:
    """A short stable hash of some texts (128 bits, hex)."""
    return hashlib.blake2b("\x1f".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
