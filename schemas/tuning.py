"""The page ``docs/tuning.md``: every setting with meaning, unit, bounds, default and source, made of :mod:`schemas.settings`:

python -m schemas.tuning > docs/tuning.md
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, get_args

from annotated_types import Ge, Gt, Le, Lt
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from schemas.settings import Section, Settings

_SOURCE = re.compile(r"\b[RE]\d+\b")
_IN_BRACKETS = re.compile(r"\s*\(((?:[RE]\d+(?:, )?)+)\)")
_BY_ENDING = {
    "_ms": "ms", "_s": "seconds", "_minutes": "minutes", "_h": "hours", "_days": "days", "_mb": "MiB", "_gb": "GiB",
    "_chars": "characters", "_tokens": "tokens", "_rows": "rows", "model_len": "tokens", "_port": "port", "port": "port",
}  # fmt: skip
_HEAD = """# Tuning

Every setting, as [schemas/settings.py](../schemas/settings.py) has it (`python -m schemas.tuning` writes this page, a test compares).
What differs from the default goes into `LAOMA_HOME/config.yaml` under the same names, nested:

```yaml
recall:
  threshold: 0.6
```

`laoma down`, `laoma up` take it over. An unknown key, or a value out of its bounds, is an error that names the key. Sources: R1-R35 are
the rules of remembering ([extraction](extraction.md), [recall](recall.md), [life](life.md), [privacy](privacy.md)), E1-E17 those of
[learning](learning.md). What was measured to find a value stands in the page of its part, with the split that it was tuned on.
"""


def page() -> str:
    """The whole page, Markdown."""
    top = [row for row in _rows(Settings, "") if "." not in row[0]]
    parts = [_HEAD, "## In general\n", _table(top)]
    for name, field in Settings.model_fields.items():
        if _is_section(field):
            words = " ".join((field.annotation.__doc__ or "").split()).replace("``", "`")
            parts += [f"## {name}\n", f"{words}\n", _table(list(_rows(field.annotation, f"{name}.")))]
    return "\n".join(parts)


def _rows(section: Any, before: str) -> Iterator[tuple[str, ...]]:
    for name, field in section.model_fields.items():
        if _is_section(field):
            if before:
                yield from _rows(field.annotation, f"{before}{name}.")
            continue
        said = field.description or ""
        meaning = _IN_BRACKETS.sub("", said)
        yield (
            f"{before}{name}",
            meaning,
            _unit(name, field),
            _bounds(field),
            _default(field),
            ", ".join(dict.fromkeys(_SOURCE.findall(said))),
        )


def _table(rows: list[tuple[str, ...]]) -> str:
    head = ("setting", "meaning", "unit", "bounds", "default", "source")
    lines = [head, ("---",) * len(head), *((f"`{name}`", *rest) for name, *rest in rows)]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines) + "\n"


def _unit(name: str, field: FieldInfo) -> str:
    kinds = {kind for kind in (field.annotation, *get_args(field.annotation)) if kind is not type(None)}
    for ending, unit in _BY_ENDING.items():
        if name.endswith(ending) and kinds & {int, float}:
            return unit
    if bool in kinds:
        return "yes or no"
    if int in kinds:
        return "count"
    if float in kinds:
        bounds = {type(one): one for one in field.metadata}
        return "share" if getattr(bounds.get(Le), "le", None) == 1 else "number"
    return "list" if list in kinds or "list" in str(field.annotation) else "names" if "dict" in str(field.annotation) else "text"


def _bounds(field: FieldInfo) -> str:
    words = {Ge: ("≥", "ge"), Gt: (">", "gt"), Le: ("≤", "le"), Lt: ("<", "lt")}
    return ", ".join(f"{words[type(one)][0]} {getattr(one, words[type(one)][1]):g}" for one in field.metadata if type(one) in words)


def _default(field: FieldInfo) -> str:
    return "none" if field.default is None else f"`{json.dumps(field.default, ensure_ascii=False)}`"


def _is_section(field: FieldInfo) -> bool:
    return isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel) and issubclass(field.annotation, Section)


if __name__ == "__main__":
    print(page(), end="")
