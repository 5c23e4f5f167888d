"""The tuning page says what the code says, of every setting."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from pydantic import BaseModel

from schemas.settings import Settings, parse_settings
from schemas.tuning import page

PAGE = Path(__file__).parents[2] / "docs" / "tuning.md"


def names(model: type[BaseModel], before: str = "") -> list[str]:
    found: list[str] = []
    for name, field in model.model_fields.items():
        kind = field.annotation
        inside = isinstance(kind, type) and issubclass(kind, BaseModel)
        found += names(kind, f"{before}{name}.") if inside else [f"{before}{name}"]  # type: ignore[arg-type]
    return found


def rows() -> dict[str, list[str]]:
    lines = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in page().splitlines() if line.startswith("| `")]
    return {line[0].strip("` "): line[1:] for line in lines}


def test_the_page_is_what_the_settings_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m schemas.tuning > docs/tuning.md"


def test_every_setting_stands_there_once_with_its_meaning_and_unit() -> None:
    assert list(rows()) == names(Settings) or sorted(rows()) == sorted(names(Settings))
    assert [name for name, (meaning, unit, *_) in rows().items() if len(meaning) < 8 or not unit] == []


@pytest.mark.parametrize(
    ("name", "unit", "bounds", "default", "source"),
    [
        ("life.idle_share", "share", "> 0, ≤ 1", "`0.1`", "R17"),
        ("window.silence_s", "seconds", "> 0", "`600.0`", "R3"),
        ("http.import_limit_mb", "MiB", "≥ 1", "`4096`", ""),
        ("model.learns", "yes or no", "", "`false`", "R9"),
        ("model.url", "text", "", "none", ""),
    ],
)
def test_a_row_holds_what_the_code_holds(name: str, unit: str, bounds: str, default: str, source: str) -> None:
    assert rows()[name][1:] == [unit, bounds, default, source]


def test_the_example_is_one_that_is_read() -> None:
    example = page().split("```yaml\n")[1].split("```")[0]
    assert parse_settings(example).recall.threshold == yaml.safe_load(example)["recall"]["threshold"]
