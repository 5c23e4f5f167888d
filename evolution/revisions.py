"""A proposal becomes a revision: judged by zone, breaker and risk (E6-E8), then proposed, suspended or refused."""

from __future__ import annotations

from datetime import datetime

from evolution.constitution import Constitution
from evolution.zones import Consent, Verdict, judge
from memory.ports import Embedder
from schemas.errors import Conflict, Forbidden
from schemas.policy import GateResult, Part, Revision, Scope, State


def propose(
    *,
    id: str,
    user: str,
    at: datetime,
    scope: Scope,
    replacement: str,
    constitution: Constitution,
    embedder: Embedder,
    fault: str = "",
    part: Part = "rules",
    error: str | None = None,
    samples: tuple[str, ...] = (),
    conversation: str | None = None,
) -> Revision:
    """Judged and in its first state. To take a rule away is judged by that rule: what it says is what changes."""
    [verdict] = judge([replacement or fault], constitution, embedder)
    state, reason = _first(verdict, scope)
    return Revision(
        id=id,
        user=user,
        at=at,
        updated_at=at,
        scope=scope,
        part=part,
        fault=fault,
        replacement=replacement,
        zone=verdict.zone,
        risk=verdict.risky,
        closeness=verdict.closeness,
        nearest=verdict.nearest,
        constitution=constitution.digest,
        state=state,
        reason=reason,
        error=error,
        samples=list(samples),
        conversation=conversation,
    )


def consent(revision: Revision, constitution: Constitution, embedder: Embedder) -> Consent:
    """Who must agree, under the constitution as it is now."""
    [verdict] = judge([revision.replacement or revision.fault], constitution, embedder)
    return verdict.consent(revision.scope)


def require_approvable(revision: Revision, needs: Consent, *, admin: bool, untested: bool) -> None:
    """Raises Forbidden where nobody, or only an admin, may; Conflict where it is not (yet) at the point of being approved."""
    if revision.state not in ("proposed", "ready"):
        raise Conflict(f"This revision is {revision.state}: there is nothing to approve.", code=f"revision_{revision.state}")
    if needs == "never":
        raise Forbidden("This touches the constitution or would hurt: nobody can approve it.", code="off_limits")
    if revision.scope == "global" and not admin:
        raise Forbidden("This would hold for everybody: an admin key has to approve it.", code="admin_needed")
    if revision.state == "proposed" and not untested:
        gate = f"The gate could not try it ({revision.reason})" if revision.gate == "not_testable" else "No gate has tried it"
        how = '`laoma revisions test` does, or approve it all the same with `"untested": true`, `laoma revisions approve --untested`'
        raise Conflict(f"{gate}: {how}.", code="not_tested")


def require_testable(revision: Revision) -> None:
    """Raises Conflict where there is nothing for the gate to try."""
    if revision.scope == "dialogue" or revision.state not in ("proposed", "ready"):
        raise Conflict(f"This revision is {revision.state}: there is nothing to test.", code=f"revision_{revision.state}")


def gated(revision: Revision, result: GateResult, at: datetime) -> Revision:
    """After the gate (E9): ready where it passed, refused with the cases that fell, as it was where nothing could be said. Never live."""
    state: State = {"passed": "ready", "failed": "refused", "not_testable": "proposed"}[result.gate]  # type: ignore[assignment]
    return revision.but(state=state, gate=result.gate, cases=result.cases, reason=result.said, updated_at=at)


def _first(verdict: Verdict, scope: Scope) -> tuple[State, str]:
    if verdict.zone == "forbidden":
        return "refused", f"touches the constitution ({verdict.nearest}): only editing constitution.yaml changes that"
    if verdict.suspended:
        return "suspended", f"too near to the constitution's {verdict.nearest} ({verdict.closeness:.2f})"
    if verdict.risky:
        return "refused", "it would hurt: pressure, mockery or a promise that can't be kept"
    return "proposed", {"person": "a person has to approve it", "confirm": "one confirmation is asked for"}.get(
        verdict.consent(scope), "nobody needs to be asked"
    )
