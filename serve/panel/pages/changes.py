"""What it learnt, replaced and forgot, and why."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from serve.auth import PartsDep
from serve.panel.doors import PageRoute, SessionDep
from serve.panel.render import page
from serve.shard.service import ShardService

router = APIRouter(prefix="/panel/changes", route_class=PageRoute, include_in_schema=False)
_PAGE = 100


@router.get("")
async def show(request: Request, session: SessionDep, parts: PartsDep, cursor: str = "") -> Response:
    """A page of decisions, latest first."""
    found = await parts.shards.call(ShardService.changes, session.key.user, _PAGE, cursor or None)
    return page(request, "changes.html", session, changes=found.data, more=found.next_cursor)
