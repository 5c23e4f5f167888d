"""What the assistant wants to change about itself, and the versions of how it behaves: approve, reject, compare, go back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import ValidationError

from schemas.errors import InvalidRequest
from schemas.job import Job
from schemas.policy import BASE, RULE_CHARS, Policy, RevisionIn, State
from serve import evolving
from serve.auth import PartsDep
from serve.panel.doors import ActDep, PageRoute, SessionDep, caller_of
from serve.panel.render import page
from serve.parts import Parts
from serve.shard.service import ShardService

router = APIRouter(prefix="/panel/learning", route_class=PageRoute, include_in_schema=False)
WAITING: tuple[State, ...] = ("ready", "proposed")
_DECIDED = 30
STATES: dict[str, str] = {"live": "approved", "refused": "refused", "suspended": "suspended", "rejected": "turned down"}
ZONES = {"forbidden": "forbidden zone", "cautious": "cautious zone", "free": "free zone"}
SCOPES = {"global": "for everybody", "scene": "for you", "dialogue": "in one conversation"}
GATES = {
    "passed": "as many scenarios pass as before",
    "failed": "scenarios fell that passed before",
    "not_testable": "it could not be tried",
}
ERRORS = {
    "missed_entity": "something asked for was missing",
    "steps_first": "steps before the conclusion",
    "too_long": "too long",
    "too_short": "too short",
    "too_hard": "too hard to understand",
    "wrong_language": "the wrong language",
    "wrong_form": "the wrong form",
    "tone": "its tone",
    "asks_back": "a question instead of an answer",
    "misread": "misunderstood",
    "wrong": "wrong",
    "gave_up": "the user gave up",
    "cut_off": "cut off by the user",
}
LABELS = STATES | ZONES | SCOPES | GATES | ERRORS
"""What the page says for each of a revision's values."""


@router.get("")
async def show(request: Request, session: SessionDep, parts: PartsDep, a: str = "", b: str = "", trying: str = "") -> Response:
    """What waits for a decision, what was decided, the versions; ``a`` and ``b``: two side by side; ``trying``: at the gate."""
    who = caller_of(session)
    revisions = (await evolving.listed(parts, who)).data
    between = (a[:40], b[:40]) if a and b else None
    policies = await parts.shards.call(ShardService.policies, who.user, between)
    return page(
        request,
        "learning.html",
        session,
        waiting=sorted((row for row in revisions if row.state in WAITING), key=lambda row: WAITING.index(row.state)),
        decided=[row for row in revisions if row.state not in WAITING][:_DECIDED],
        policies=policies,
        rules=[(one, line) for one in _live(policies.data) for line in one.lines],
        versions=[one.id for one in policies.data] + ["u0", "b0"],
        live={one.id for one in _live(policies.data)},
        between=between or _last_step(policies.data),
        base=BASE,
        chars=RULE_CHARS,
        label=LABELS,
        trial=await _trial(parts, trying) if any(row.id == trying for row in revisions) else None,
    )


@router.post("")
async def propose(
    session: ActDep,
    parts: PartsDep,
    replacement: Annotated[str, Form()] = "",
    fault: Annotated[str, Form()] = "",
    scope: Annotated[str, Form()] = "scene",
) -> Response:
    """A person's own proposal; judged at once."""
    try:
        wanted = RevisionIn.model_validate({"replacement": replacement, "fault": fault, "scope": scope})
    except ValidationError as error:
        raise InvalidRequest(f"{error.errors()[0]['loc'][-1]}: {error.errors()[0]['msg']}") from None
    if not wanted.replacement and not wanted.fault:
        raise InvalidRequest("Write the new rule, or choose the one that goes.", param="replacement")
    await evolving.proposed(parts, caller_of(session), wanted)
    return _back()


@router.post("/rollback")
async def rollback(
    request: Request, session: ActDep, parts: PartsDep, to: Annotated[str, Form(max_length=40)], sure: Annotated[str, Form()] = ""
) -> Response:
    """Back to an earlier version, as a new one: asked for first, with what it would change."""
    who = caller_of(session)
    if sure == "yes":
        await evolving.rollback(parts, who, to)
        return _back()
    policies = await parts.shards.call(ShardService.policies, who.user, None)
    live = next((one.id for one in _live(policies.data) if one.id[0] == to[:1]), f"{to[:1]}0")
    lines = (await parts.shards.call(ShardService.policies, who.user, (live, to))).diff
    return page(request, "rollback.html", session, to=to, live=live, diff=lines or [])


@router.post("/{revision_id}/approve")
async def approve(revision_id: str, session: ActDep, parts: PartsDep, untested: Annotated[str, Form()] = "") -> Response:
    """Make it live, after a snapshot."""
    await evolving.approve(parts, caller_of(session), revision_id, untested=untested == "yes")
    return _back()


@router.post("/{revision_id}/test")
async def test(revision_id: str, session: ActDep, parts: PartsDep) -> Response:
    """Have the gate try it; the page looks again until it has."""
    testing = await evolving.test(parts, caller_of(session), revision_id)
    return _back() if testing.job is None else RedirectResponse(f"/panel/learning?trying={testing.revision.id}", 303)


@router.post("/{revision_id}/reject")
async def reject(revision_id: str, session: ActDep, parts: PartsDep) -> Response:
    """Turn it down."""
    await evolving.reject(parts, caller_of(session), revision_id)
    return _back()


async def _trial(parts: Parts, revision_id: str) -> Job | None:
    """The gate's latest job for a revision."""
    return next((job for job in await parts.jobs.list() if job.name == "gate" and job.arguments == [revision_id]), None)


def _live(versions: Sequence[Policy]) -> list[Policy]:
    """The latest of the base, then of the user's own."""
    latest = [
        max((one for one in versions if (one.user == BASE) == base), key=lambda one: one.number, default=None) for base in (True, False)
    ]
    return [one for one in latest if one is not None]


def _last_step(versions: Sequence[Policy]) -> tuple[str, str]:
    """The latest version and the one before it, which is what people compare first."""
    return (versions[0].previous or f"{versions[0].id[0]}0", versions[0].id) if versions else ("", "")


def _back() -> Response:
    return RedirectResponse("/panel/learning", 303)
