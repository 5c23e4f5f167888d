"""Offline jobs (admin)."""

from __future__ import annotations

from fastapi import APIRouter

from schemas.job import Job, JobIn, JobList, JobLogs
from serve.auth import AdminDep, PartsDep

router = APIRouter(prefix="/v1/jobs", tags=["jobs"])


@router.get("", summary="Jobs, latest first")
async def jobs(_: AdminDep, parts: PartsDep) -> JobList:
    """Running and finished ones."""
    return JobList(data=await parts.jobs.list())


@router.post("", status_code=202, summary="Submit a job")
async def submit(body: JobIn, _: AdminDep, parts: PartsDep) -> Job:
    """It runs on the cluster; ask for its state by its id."""
    return await parts.jobs.submit(body)


@router.get("/{job_id}", summary="One job")
async def job(job_id: str, _: AdminDep, parts: PartsDep) -> Job:
    """Its state."""
    return await parts.jobs.get(job_id)


@router.get("/{job_id}/logs", summary="What a job printed")
async def logs(job_id: str, _: AdminDep, parts: PartsDep) -> JobLogs:
    """So far."""
    return await parts.jobs.logs(job_id)
