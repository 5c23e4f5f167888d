"""Offline jobs: the schedule, what runs, what ran, run one now (admin)."""

from __future__ import annotations

import asyncio
import shlex
from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import RedirectResponse

from schemas.errors import InvalidRequest
from schemas.job import JOBS, JobIn
from serve.auth import PartsDep
from serve.panel.doors import AdminActDep, AdminPageDep, PageRoute
from serve.panel.render import page
from serve.schedule import Schedule

router = APIRouter(prefix="/panel/jobs", route_class=PageRoute, include_in_schema=False)
_SHOWN = 30


@router.get("")
async def show(request: Request, session: AdminPageDep, parts: PartsDep) -> Response:
    """Schedule and latest jobs."""
    jobs = await parts.jobs.list()
    schedule = await asyncio.to_thread(Schedule(parts.home, parts.settings).view, {job.id: job for job in jobs}, parts.now())
    return page(request, "jobs.html", session, jobs=jobs[:_SHOWN], schedule=schedule, kinds=JOBS)


@router.post("")
async def run(
    _: AdminActDep, parts: PartsDep, name: Annotated[str, Form()], arguments: Annotated[str, Form(max_length=2000)] = ""
) -> Response:
    """Run a job now, with its arguments as a command line would take them."""
    if name not in JOBS:
        raise InvalidRequest(f"No job {name!r}; there is: {', '.join(JOBS)}.", param="name")
    try:
        job = await parts.jobs.submit(JobIn(name=name, arguments=shlex.split(arguments)))
    except ValueError as error:  # a quotation mark without its other half, too many arguments
        raise InvalidRequest(f"The arguments can't be read: {error}.", param="arguments") from None
    return RedirectResponse(f"/panel/jobs/{job.id}", 303)


@router.post("/pause")
async def pause(_: AdminActDep, parts: PartsDep, name: Annotated[str, Form()] = "", paused: Annotated[str, Form()] = "") -> Response:
    """Hold the schedule or one job of it, or let it go."""
    await asyncio.to_thread(Schedule(parts.home, parts.settings).pause, name or None, paused == "yes", parts.now())
    return RedirectResponse("/panel/jobs", 303)


@router.get("/{job_id}")
async def one(request: Request, job_id: str, session: AdminPageDep, parts: PartsDep) -> Response:
    """One job: how far, what it said, what it did."""
    job = await parts.jobs.get(job_id)
    logs = await parts.jobs.logs(job_id)
    return page(request, "job.html", session, job=job, logs=logs.text)


@router.post("/{job_id}/stop")
async def stop(job_id: str, _: AdminActDep, parts: PartsDep) -> Response:
    """Stop it where it is."""
    await parts.jobs.stop(job_id)
    return RedirectResponse(f"/panel/jobs/{job_id}", 303)
