"""What Pydantic found wrong, in words for a person: one clear line, with what to do next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel

_LONGEST = 200


def words_of(error: Mapping[str, Any]) -> str:
    """The message of one entry of ``ValidationError.errors()``; our own validators' words as they are."""
    if error["type"] == "extra_forbidden":
        return "there is no such field"
    if error["type"] == "missing":
        return "is missing"
    return str(error["msg"]).removeprefix("Value error, ").removeprefix("Assertion failed, ")[:_LONGEST]


def unknown_key(model: type[BaseModel], place: Sequence[int | str]) -> str:
    """That ``place`` (a path of keys, the last one unknown) is no setting, with the one that may be meant, else with those there are."""
    for key in place[:-1]:
        kind = model.model_fields[str(key)].annotation
        if not (isinstance(kind, type) and issubclass(kind, BaseModel)):
            break
        model = kind
    known = list(model.model_fields)
    close = get_close_matches(str(place[-1]), known, n=1)
    return f"there is no such setting; did you mean `{close[0]}`?" if close else f"there is no such setting; there are {', '.join(known)}"
