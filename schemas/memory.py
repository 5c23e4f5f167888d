"""What is remembered: one atomic statement a row, its history in ``changes``."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from schemas.record import Moment, Record, Vector, Whole

Kind = Literal["profile", "fact", "preference", "event", "knowledge"]
Source = Literal["explicit", "inferred"]
Status = Literal["active", "probation", "pending", "deprecated", "archived"]
Share = Annotated[float, Field(ge=0, le=1)]

GENERAL_SCENE = "通用"
"""The scene of a statement that holds everywhere."""
USER_SUBJECT = "user"
"""The subject of a statement about the user."""


class Memory(Record):
    """One statement about the user or someone near them.

    ``key`` is the slot path (``偏好/饮食/含糖``); only a memory of the same user, subject and slot can retire another (R14).
    ``confidence`` 0-1, ``importance`` 0-100, ``priority`` 0-2 (2: hard constraints, allergies, refusals: never leaves by itself, R16).
    ``turns`` are the ids of the turns it came from (R12). ``version`` counts changes, ``previous`` is the text before the last one.
    ``embedder`` names the model of ``vector``: vectors of different models are never compared.
    """

    TABLE: ClassVar[str] = "memories"

    kind: Kind
    key: str
    scene: str = GENERAL_SCENE
    subject: str = USER_SUBJECT
    text: str
    source: Source = "explicit"
    confidence: Share = 0.9
    importance: Annotated[int, Field(ge=0, le=100)] = 40
    priority: Annotated[int, Field(ge=0, le=2)] = 0
    status: Status = "active"
    confirmations: Whole = 0
    version: Whole = 1
    previous: str | None = None
    turns: list[str] = []
    import_id: str | None = None
    created_at: Moment
    updated_at: Moment
    verified_at: Moment | None = None
    accessed_at: Moment | None = None
    access_count: Whole = 0
    valid_from: Moment | None = None
    valid_to: Moment | None = None
    expires_at: Moment | None = None
    embedder: str | None = None
    vector: Vector | None = None


Action = Literal[
    "create", "update", "replace", "merge", "coexist", "confirm", "promote", "demote",
    "archive", "revive", "expire", "edit", "delete", "restore",
]  # fmt: skip
Actor = Literal["rule", "model", "user", "job"]


class Change(Record):
    """One decision about a memory (R15): what it said before and after, why, who decided, and on which turn.

    A ``delete`` keeps neither text: what was deleted must not live on in its own history (R31).
    """

    TABLE: ClassVar[str] = "changes"

    memory: str
    at: Moment
    action: Action
    before: str | None = None
    after: str | None = None
    reason: str
    actor: Actor
    turn: str | None = None


class Tombstone(Record):
    """The mark of a deleted statement: its hash keeps it from being extracted again (R31). ``id`` is that hash.

    ``turns`` are the ids of the turns it came from: they are not quoted to the model.
    """

    TABLE: ClassVar[str] = "tombstones"

    key: str
    at: Moment
    turns: list[str] = []


class Consent(Record):
    """Leave to store a sensitive category (R32). ``id`` is the category (``health``, ``government`` …)."""

    TABLE: ClassVar[str] = "consents"

    given_at: Moment
    turn: str | None = None
