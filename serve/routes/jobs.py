"""Offline jobs and their schedule (admin)."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter

from schemas.job import Job, JobIn, JobList, JobLogs, Pause, ScheduleView
from serve.auth import AdminDep, PartsDep
from serve.parts import Parts
from serve.schedule import Schedule

router = APIRouter(prefix="/v1", tags=["jobs"])


@router.get("/jobs", summary="Jobs, latest first")
async def jobs(_: AdminDep, parts: PartsDep) -> JobList:
    """Running and finished ones."""
    return JobList(data=await parts.jobs.list())


@router.post("/jobs", status_code=202, summary="Submit a job")
async def submit(body: JobIn, _: AdminDep, parts: PartsDep) -> Job:
    """It runs on the cluster; ask for its state by its id."""
    return await parts.jobs.submit(body)


@router.get("/jobs/{job_id}", summary="One job")
async def job(job_id: str, _: AdminDep, parts: PartsDep) -> Job:
    """Its state, how far it has come, and at the end what it did."""
    return await parts.jobs.get(job_id)


@router.get("/jobs/{job_id}/logs", summary="What a job printed")
async def logs(job_id: str, _: AdminDep, parts: PartsDep) -> JobLogs:
    """So far."""
    return await parts.jobs.logs(job_id)


@router.post("/jobs/{job_id}/stop", summary="Stop a job")
async def stop(job_id: str, _: AdminDep, parts: PartsDep) -> Job:
    """Where it is; submitting it again does the rest."""
    return await parts.jobs.stop(job_id)


@router.get("/schedule", summary="What runs by itself")
async def schedule(_: AdminDep, parts: PartsDep) -> ScheduleView:
    """Next run first; times of runs are those of the schedule."""
    return await _view(parts)


@router.put("/schedule", summary="Hold the whole schedule, or let it go")
async def pause_all(body: Pause, _: AdminDep, parts: PartsDep) -> ScheduleView:
    """What falls due meanwhile is caught up once."""
    return await _pause(parts, None, body.paused)


@router.put("/schedule/{name}", summary="Hold one job of the schedule, or let it go")
async def pause(name: str, body: Pause, _: AdminDep, parts: PartsDep) -> ScheduleView:
    """What falls due meanwhile is caught up once."""
    return await _pause(parts, name, body.paused)


async def _pause(parts: Parts, name: str | None, paused: bool) -> ScheduleView:
    await asyncio.to_thread(Schedule(parts.home, parts.settings).pause, name, paused, parts.now())
    return await _view(parts)


async def _view(parts: Parts) -> ScheduleView:
    jobs = {job.id: job for job in await parts.jobs.list()}
    return await asyncio.to_thread(Schedule(parts.home, parts.settings).view, jobs, parts.now())
