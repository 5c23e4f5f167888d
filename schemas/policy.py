"""Policies and the revisions that lead to them: how the assistant behaves, in versions that never change (E4, E10)."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from schemas.record import Moment, Record, Whole

BASE = "/base"
"""Whose rows the base for all is: no user can be called so. Every shard holds a copy."""
Scope = Literal["global", "scene", "dialogue"]
State = Literal["proposed", "suspended", "refused", "ready", "live", "rejected"]
Part = Literal["rules", "strategies", "situations"]
RULE_CHARS = 160
"""Characters of one rule at most."""


class Policy(Record):
    """One immutable version: prompt rules, behaviour strategies, situation rules, in the order in which a prompt tells them.

    ``user`` is :data:`BASE` for the base of all (ids ``b1-…``), else whose overlay it is (``u1-…``). ``number`` counts from 1; ``revision``
    led to it, ``restores`` is the version whose content a rollback brought back, ``snapshot`` was taken before it.
    """

    TABLE: ClassVar[str] = "policies"

    at: Moment
    number: Whole
    previous: str | None = None
    rules: list[str] = []
    strategies: list[str] = []
    situations: list[str] = []
    revision: str | None = None
    restores: str | None = None
    snapshot: str | None = None

    @property
    def lines(self) -> list[str]:
        """All of it, in the order of a prompt."""
        return [*self.rules, *self.strategies, *self.situations]


class Revision(Record):
    """A proposed change (E4): ``fault`` is the sentence at fault (empty: nothing goes), ``replacement`` what stands instead (empty: it only
    goes). ``zone``, ``risk``, ``closeness`` (to the constitution's sentence ``nearest``) are what was judged of it under the constitution
    ``constitution`` (SHA-256); ``gate`` what the scenarios said, ``cases`` those that fell. ``samples`` are the feedback it comes from.
    """

    TABLE: ClassVar[str] = "revisions"

    at: Moment
    updated_at: Moment
    scope: Scope
    part: Part = "rules"
    fault: str = ""
    replacement: str = ""
    zone: Literal["forbidden", "cautious", "free"]
    risk: bool
    closeness: float
    nearest: str
    constitution: str
    state: State
    reason: str
    error: str | None = None
    samples: list[str] = []
    conversation: str | None = None
    gate: Literal["untried", "passed", "failed", "not_testable"] = "untried"
    cases: list[str] = []
    policy: str | None = None


class Trial(BaseModel):
    """A proposal that the gate may try: the versions in force before it and those that would be after it."""

    model_config = ConfigDict(frozen=True)

    revision: Revision
    base: Policy | None
    own: Policy | None
    base_after: Policy | None
    own_after: Policy | None


class GateResult(BaseModel):
    """What the scenarios said: ``cases`` are those that fell, each with why; ``said`` is the sentence for people."""

    model_config = ConfigDict(frozen=True)

    gate: Literal["passed", "failed", "not_testable"]
    cases: list[str] = []
    said: str


NO_MODEL = GateResult(gate="not_testable", said="no model was chosen that could answer the scenarios: `laoma model use`")


class Preview(BaseModel):
    """A revision with what it would do to its owner's rules: lines that go (``-``), come (``+``) or stay (two spaces); none where it would
    change nothing, or is past."""

    revision: Revision
    diff: list[str] = []


class Testing(BaseModel):
    """A proposal on its way through the gate; ``job`` tries it (None: the answer stands already)."""

    revision: Revision
    job: str | None = None


class RevisionIn(BaseModel):
    """A change that a person proposes; ``global`` needs an admin key."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"replacement": "先说结论，再说过程。", "scope": "scene"}]})

    replacement: str = Field("", max_length=RULE_CHARS)
    fault: str = Field("", max_length=RULE_CHARS)
    scope: Literal["global", "scene"] = "scene"
    part: Part = "rules"

    @field_validator("replacement", "fault")
    @classmethod
    def _one_line(cls, text: str) -> str:
        return " ".join(text.split())


class Approval(BaseModel):
    """``untested``: the person takes it although the gate could not try it; what the gate refused nobody can take."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"untested": False}]})

    untested: bool = False


class RevisionList(BaseModel):
    """Revisions, latest first."""

    data: list[Revision]


class PolicyList(BaseModel):
    """Versions, latest first; ``live`` is what a reply's turn carries, ``diff`` the lines between two versions if asked for.
    ``constitution`` is the SHA-256 of the constitution that is in force, "" for one that can't be read; only an edit of its file makes it
    differ from the one ``at_start``."""

    data: list[Policy]
    live: str
    diff: list[str] | None = None
    constitution: str = ""
    constitution_at_start: str = ""


class Rollback(BaseModel):
    """To which version to go back; left out: to the one before the live one of your own overlay. Of the base: an admin, by version."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"to": "u1"}]})

    to: Annotated[str, Field(pattern=r"^[bu][0-9]+(-[0-9a-f]+)?$")] | None = None
