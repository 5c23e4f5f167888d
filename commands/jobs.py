"""job: submit offline work to the cluster and follow it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote

import typer

from commands.output import print_json, print_line, print_note, print_table, say, short_time, waiting
from commands.place import here
from schemas.errors import LaomaError

if TYPE_CHECKING:
    from commands.client import Json, Service

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

POLL_S = 0.5
UNDER_WAY = ("pending", "running")

job_app = typer.Typer(help="Offline jobs on the cluster · 离线任务\n\nExample: laoma job submit seal --wait", no_args_is_help=True)


@job_app.command("submit", context_settings={"ignore_unknown_options": True})
def submit(
    name: Annotated[str, typer.Argument(help="The job: seal.")],
    arguments: Annotated[list[str] | None, typer.Argument(metavar="[ARGUMENT]...", help="The job's own arguments.")] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Return when it has ended; exit 1 when it failed.")] = False,
    as_json: AsJson = False,
) -> None:
    """Submit a job · 提交离线任务

    seal: moves old turns and events from the hot tables to Parquet logs.

    \b
    Examples:
      laoma job submit seal
      laoma job submit seal --wait
    """
    service = here().service()
    job = service.post("/v1/jobs", {"name": name, "arguments": list(arguments or [])})
    if wait:
        job = _until_ended(service, job)
    if as_json:
        print_json(job)
    else:
        print_line(f"{job['id']}  {job['state']}")
    if job["state"] in ("failed", "stopped"):
        raise LaomaError(f"job {job['id']} {job['state']}: `laoma job logs {job['id']}` says why")


@job_app.command("list")
def list_jobs(as_json: AsJson = False) -> None:
    """Jobs, latest first · 列出任务

    \b
    Example:
      laoma job list
    """
    place = here()
    jobs = place.service().get("/v1/jobs")["data"]
    if as_json:
        print_json(jobs)
    elif not jobs:
        print_note(say("No job was submitted yet.", "还没有任务。"))
    else:
        zone = place.zone
        print_table(
            ("submitted", "ended", "name", "state", "id"),
            [
                (short_time(job["submitted_at"], zone), short_time(job["ended_at"], zone), job["name"], job["state"], job["id"])
                for job in jobs
            ],
        )


@job_app.command("show")
def show(id: Annotated[str, typer.Argument(help="The job's id.")], as_json: AsJson = False) -> None:
    """One job and how it stands · 查看一个任务

    \b
    Example:
      laoma job show raysubmit_x1
    """
    place = here()
    job = place.service().get(f"/v1/jobs/{quote(id, safe='')}")
    if as_json:
        print_json(job)
    else:
        print_line(
            f"{job['id']}  {job['name']}  {job['state']}  {short_time(job['submitted_at'], place.zone)}  {job['detail'] or ''}".rstrip()
        )


@job_app.command("logs")
def logs(id: Annotated[str, typer.Argument(help="The job's id.")], as_json: AsJson = False) -> None:
    """What a job printed · 任务的输出

    \b
    Example:
      laoma job logs raysubmit_x1
    """
    printed = here().service().get(f"/v1/jobs/{quote(id, safe='')}/logs")
    if as_json:
        print_json(printed)
    else:
        print_line(printed["text"].rstrip("\n"))


def _until_ended(service: Service, job: Json) -> Json:
    with waiting(say(f"job {job['id']}", f"任务 {job['id']}")) as words:
        while job["state"] in UNDER_WAY:
            time.sleep(POLL_S)
            job = service.get(f"/v1/jobs/{quote(job['id'], safe='')}")
            words(f"{job['name']} {job['state']}")
    return job
