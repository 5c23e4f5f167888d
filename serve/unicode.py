"""Values that can be stored and sent: whole Unicode, numbers that JSON knows, no deeper than anybody nests."""

from __future__ import annotations

import math
import unicodedata
from typing import TypeVar

from schemas.errors import InvalidRequest

T = TypeVar("T")
_DEEPEST = 100
"""Levels of lists and objects; Python's own limit would be met at about 900, somewhere else each time."""


_SAYS = frozenset("LNPS")
"""Unicode categories of what can be read: letters, digits, punctuation, signs (emoji among them)."""
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Counted among letters and signs, yet nothing is seen of them."""


def has_text(text: str) -> bool:
    """Whether anything can be read in ``text``: white space, control and zero-width characters say nothing."""
    return any(unicodedata.category(char)[0] in _SAYS and char not in _BLANK for char in text)


def whole(text: str) -> str:
    """``text`` without lone surrogates: split pairs are joined, single halves become U+FFFD. Unchanged text is returned as it is."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def whole_json(value: T, *, depth: int = _DEEPEST) -> T:
    """A JSON value whose strings, keys included, are whole. Raises InvalidRequest for NaN, infinity, and deeper nesting than ``depth``."""
    if depth == 0:
        raise InvalidRequest(f"The JSON is nested over {_DEEPEST} levels deep.")
    if isinstance(value, str):
        return whole(value)  # type: ignore[return-value]
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidRequest("NaN and Infinity are no JSON numbers.")
    if isinstance(value, list):
        return [whole_json(item, depth=depth - 1) for item in value]  # type: ignore[return-value]
    if isinstance(value, dict):
        return {whole(str(key)): whole_json(item, depth=depth - 1) for key, item in value.items()}  # type: ignore[return-value]
    return value
