"""Text that can be encoded: split surrogate pairs are joined, single halves become U+FFFD."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def whole(text: str) -> str:
    """``text`` without lone surrogates; unchanged text is returned as it is."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def whole_json(value: T) -> T:
    """The same for every string inside a JSON value, keys included."""
    if isinstance(value, str):
        return whole(value)  # type: ignore[return-value]
    if isinstance(value, list):
        return [whole_json(item) for item in value]  # type: ignore[return-value]
    if isinstance(value, dict):
        return {whole_json(key): whole_json(item) for key, item in value.items()}  # type: ignore[return-value]
    return value
