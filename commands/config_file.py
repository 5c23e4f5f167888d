"""config.yaml changed in place: only the named keys, everything else with its comments stays as the owner wrote it."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path

from schemas.errors import SettingsError

STARTER = """\
# laoma's settings; whatever is left out has its default. A key that is not known is an error. 未写的项取默认值。
# All settings, with units and sources: schemas/settings.py. After a change: `laoma down && laoma up`.

zone: Asia/Shanghai        # your time zone (IANA)

# http:
#   host: 127.0.0.1        # this machine only
#   port: 8317

# model:                   # better written by `laoma model use URL-or-hub-id-or-folder`
#   url: http://127.0.0.1:11434/v1
#   name: qwen3:8b
"""


def ensure_config(path: Path) -> bool:
    """Writes a commented starter where there is no file yet; True when it did."""
    if path.exists():
        return False
    _replace(path, STARTER)
    return True


def set_section(path: Path, section: str, values: Mapping[str, object | None]) -> None:
    """Sets keys of one section; None removes a key.

    Raises SettingsError, and leaves the file alone, when the result would not be understood.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.comments import CommentedMap

    from schemas.settings import checked_yaml, config_text, parse_settings

    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 10_000
    text = config_text(path)
    checked_yaml(text)
    loaded = yaml.load(text)
    document = CommentedMap() if loaded is None else loaded
    if not isinstance(document, CommentedMap):
        raise SettingsError(f"{path} must hold keys and values, e.g. `zone: Asia/Shanghai`")
    _merge(document, section, values)
    out = io.StringIO()
    yaml.dump(document, out)
    # a file of comments alone loads as nothing: its text is kept before what is added
    written = (text.rstrip("\n") + "\n\n" if loaded is None and text.strip() else "") + out.getvalue()
    parse_settings(written)
    _replace(path, written)


def _merge(document: dict[str, object], section: str, values: Mapping[str, object | None]) -> None:
    from ruamel.yaml.comments import CommentedMap

    part = document.get(section)
    if part is None:
        part = document[section] = CommentedMap()
    if not isinstance(part, CommentedMap):
        raise SettingsError(f"config.yaml: `{section}` must hold keys and values")
    for key, value in values.items():
        if value is None:
            part.pop(key, None)
        else:
            part[key] = value
    if not part:
        del document[section]


def _replace(path: Path, text: str) -> None:
    from lake.durable import replace_text

    replace_text(path, text)
