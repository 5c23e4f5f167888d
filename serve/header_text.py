"""Words in HTTP headers: clients send them percent-encoded or as raw UTF-8, and compose letters differently."""

from __future__ import annotations

import unicodedata
from urllib.parse import unquote

from schemas.errors import InvalidRequest

_LONGEST = 200


def header_text(raw: str, name: str) -> str:
    """The text that a header means, in NFC. Raises InvalidRequest unless it is 1-200 printable characters.

    Header bytes reach an ASGI app as Latin-1, whatever they were: UTF-8 is told by being valid.
    """
    try:
        text = raw.encode("latin-1").decode("utf-8")
    except UnicodeError:
        text = raw
    text = unicodedata.normalize("NFC", unquote(text)).strip()
    if not 1 <= len(text) <= _LONGEST or not text.isprintable():
        raise InvalidRequest(f"{name} is 1-{_LONGEST} printable characters (percent-encoded or UTF-8).", param=name)
    return text
