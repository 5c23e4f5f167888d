"""What `laoma doctor` says: one finding a check."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

State = Literal["ok", "fault", "skipped"]


class Words(BaseModel):
    """The same in both languages."""

    model_config = ConfigDict(frozen=True)

    en: str
    zh: str


class Finding(BaseModel):
    """What a check saw; a fault carries its remedy, a skipped check says in ``found`` why nothing can be said."""

    model_config = ConfigDict(frozen=True)

    check: str
    title: Words
    state: State
    found: Words
    remedy: Words | None = None


class Diagnosis(BaseModel):
    """All findings; ``online``: the service answered, so its own checks were made too."""

    online: bool
    healthy: bool
    findings: list[Finding]
