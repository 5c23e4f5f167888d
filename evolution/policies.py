"""Versions of behaviour (E10): what a prompt tells of them, the next one, the way back, and what differs."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256

from memory.briefing import quoted
from memory.normalise import is_chinese
from schemas.errors import Conflict, NotFound
from schemas.policy import BASE, Part, Policy, Revision

MOST = 24
"""Rules of one part at most: more than that no model heeds."""
_HEADINGS = {True: "请遵守下面的行为规则：", False: "Keep to these rules of behaviour:"}
_IN_THIS_TALK = {True: "本次对话里，用户要求：", False: "In this conversation the user asks:"}


def told(base: Policy | None, own: Policy | None) -> str:
    """The rules as a prompt tells them, base first, each once; empty without any. The same versions give the same bytes."""
    return _block(_HEADINGS, [*(base.lines if base else []), *(own.lines if own else [])])


def told_here(rules: Sequence[str]) -> str:
    """What holds in one conversation alone (E5)."""
    return _block(_IN_THIS_TALK, rules)


def version(base: Policy | None, own: Policy | None) -> str:
    """Which policy answers: ``b2-1f0c3a+u1-77d0e2``; ``b0`` where nothing was ever changed."""
    return "+".join([base.id if base else "b0", *([own.id] if own else [])])


def live(versions: Sequence[Policy]) -> Policy | None:
    """The latest of one owner."""
    return max(versions, key=lambda one: one.number, default=None)


def revised(versions: Sequence[Policy], revision: Revision, owner: str, at: datetime, snapshot: str | None) -> Policy:
    """The version after a revision: its fault gives way to its replacement. Raises Conflict where nothing would change."""
    last = live(versions)
    parts: dict[Part, list[str]] = {
        "rules": list(last.rules if last else []),
        "strategies": list(last.strategies if last else []),
        "situations": list(last.situations if last else []),
    }
    before = parts[revision.part]
    at_fault = before.index(revision.fault) if revision.fault in before else len(before)
    after = [line for line in before if line not in (revision.fault, revision.replacement)]
    if revision.replacement:
        after.insert(min(at_fault, len(after)), revision.replacement)
    if after == before:
        raise Conflict("This rule stands already, or the sentence at fault stands nowhere: nothing would change.", code="no_change")
    if len(after) > MOST:
        raise Conflict(f"There are {MOST} rules already: replace one instead.", code="too_many_rules")
    parts[revision.part] = after
    return _next(last, owner, at, snapshot, parts, revision=revision.id)


def restored(versions: Sequence[Policy], to: Policy | None, owner: str, at: datetime, snapshot: str | None) -> Policy:
    """The version that says again what ``to`` said (None: nothing, as before the first)."""
    parts: dict[Part, list[str]] = {
        "rules": list(to.rules if to else []),
        "strategies": list(to.strategies if to else []),
        "situations": list(to.situations if to else []),
    }
    return _next(live(versions), owner, at, snapshot, parts, restores=to.id if to else _sign(owner) + "0")


def found(versions: Sequence[Policy], name: str) -> Policy | None:
    """A version by id or by its number alone (``u2``); None for ``b0`` and ``u0``, the empty ones. Raises NotFound."""
    if name in ("b0", "u0"):
        return None
    matching = [one for one in versions if name in (one.id, one.id.split("-")[0])]
    if len(matching) != 1:
        raise NotFound(f"No policy version {name!r}: `laoma policies list` shows them.", param="to")
    return matching[0]


def diff(a: Policy | None, b: Policy | None) -> list[str]:
    """Lines that go (``-``), come (``+``) or stay (two spaces)."""
    lines = difflib.ndiff(a.lines if a else [], b.lines if b else [])
    return [line for line in lines if not line.startswith("?")]


def _next(
    last: Policy | None, owner: str, at: datetime, snapshot: str | None, parts: dict[Part, list[str]],
    *, revision: str | None = None, restores: str | None = None,
) -> Policy:  # fmt: skip
    number = last.number + 1 if last else 1
    digest = sha256(repr((parts, at, owner)).encode()).hexdigest()[:6]
    return Policy(
        id=f"{_sign(owner)}{number}-{digest}",
        user=owner,
        at=at,
        number=number,
        previous=last.id if last else None,
        rules=parts["rules"],
        strategies=parts["strategies"],
        situations=parts["situations"],
        revision=revision,
        restores=restores,
        snapshot=snapshot,
    )


def _sign(owner: str) -> str:
    return "b" if owner == BASE else "u"


def _block(headings: dict[bool, str], rules: Sequence[str]) -> str:
    lines = list(dict.fromkeys(quoted(rule) for rule in rules))
    return "\n".join([headings[is_chinese(lines[0])], *(f"- {line}" for line in lines)]) if lines else ""
