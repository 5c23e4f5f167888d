"""Scenarios of the gate (E9): what is told beforehand, what is asked then, and what the answer must and must not hold.

The twenty that come with laoma lie here; a home adds its own in ``scenarios.jsonl``, in the same form.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memory.normalise import simplified
from schemas.errors import SettingsError

FILE = "scenarios.jsonl"
_MOST_OWN = 200
_CAPABLE = 0.5
"""A model that passes less than this share is not capable of them."""
_Text = Annotated[str, Field(min_length=1, max_length=500)]


class Scenario(BaseModel):
    """``setup``: what the user said in earlier conversations. Of each group in ``must_include`` one spelling must occur in the answer, of
    ``must_not_include`` none may; ``max_chars`` is the longest answer, in characters."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Annotated[str, Field(min_length=1, max_length=60)]
    lang: Literal["zh", "en"] = "zh"
    tag: str = ""
    setup: Annotated[list[_Text], Field(max_length=20)] = []
    ask: _Text
    must_include: list[list[_Text]] = []
    must_not_include: list[_Text] = []
    max_chars: Annotated[int, Field(ge=1)] | None = None

    def faults(self, answer: str) -> list[str]:
        """What is wrong with an answer, in a few words each; [] where it passes. An empty one is always wrong."""
        found = [] if answer.strip() else ["no answer"]
        found += [f"lacks {'/'.join(group)[:60]}" for group in self.must_include if not any(_occurs(one, answer) for one in group)]
        found += [f"says {one}" for one in self.must_not_include if _occurs(one, answer)]
        if self.max_chars is not None and len(answer.strip()) > self.max_chars:
            found.append(f"{len(answer.strip())} characters, {self.max_chars} at most")
        return found


@dataclass(frozen=True)
class Outcome:
    """Whether the answers to a scenario passed before and after a change; ``why`` it failed after it."""

    id: str
    before: bool
    after: bool
    why: str = ""


@dataclass(frozen=True)
class Gate:
    """``cases`` are those that fell, each with why; ``said`` is the sentence for people."""

    verdict: Literal["passed", "failed", "not_testable"]
    cases: tuple[str, ...]
    said: str


def gate(outcomes: Sequence[Outcome]) -> Gate:
    """The pass rate must not fall (E9). A model that passes less than half of them beforehand can't tell anything."""
    before, after = sum(one.before for one in outcomes), sum(one.after for one in outcomes)
    fell = tuple(f"{one.id}: {one.why}" for one in outcomes if one.before and not one.after)
    said = f"{after} of {len(outcomes)} scenarios passed, {before} before"
    if before < _CAPABLE * len(outcomes) or not outcomes:
        return Gate("not_testable", (), f"{before} of {len(outcomes)} scenarios passed before it: this model can't tell")
    return Gate("passed" if after >= before else "failed", fell, said)


def scenarios(home: Path) -> list[Scenario]:
    """Those that come with laoma, then the home's own. Raises SettingsError that names the line at fault."""
    own = home / FILE
    text = own.read_text(encoding="utf-8-sig") if own.exists() else ""
    found = [*built_in(), *parse(text, str(own))]
    if len(found) > len(built_in()) + _MOST_OWN:
        raise SettingsError(f"{own} holds more than {_MOST_OWN} scenarios")
    return _distinct(found, str(own))


def built_in() -> list[Scenario]:
    """The fixed set: half a dozen memories kept and replaced, what the constitution says, and plain answers, in both languages."""
    folder = resources.files(__name__)
    return [one for name in ("zh.jsonl", "en.jsonl") for one in parse(folder.joinpath(name).read_text(encoding="utf-8"), name)]


def parse(text: str, name: str) -> list[Scenario]:
    """A scenario a line. Raises SettingsError."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                found.append(Scenario.model_validate(json.loads(line)))
            except json.JSONDecodeError:
                raise SettingsError(f"{name}, line {number}: this is no JSON object") from None
            except ValidationError as error:
                first = error.errors()[0]
                where = ".".join(map(str, first["loc"]))
                raise SettingsError(f"{name}, line {number}: {where}: {first['msg']}") from None
    return _distinct(found, name)


def _distinct(found: Sequence[Scenario], name: str) -> list[Scenario]:
    by_id: Mapping[str, Scenario] = {one.id: one for one in found}
    if len(by_id) < len(found):
        raise SettingsError(f"{name}: two scenarios have the same id")
    return list(found)


def _occurs(spelling: str, answer: str) -> bool:
    """Width, case, script and the amount of white space don't count; a blank at an end of a spelling is the end of a word."""
    said, one = f" {_plain(answer)} ", _plain(spelling)
    return one in said or (one == one.strip() and one.replace(" ", "") in said.replace(" ", ""))


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text).translate(simplified()).casefold())
