"""job: submit offline work to the cluster and follow it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote

import typer

from commands.output import print_json, print_line, print_note, print_table, say, short_time, stepping
from commands.place import here
from schemas.errors import LaomaError

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from commands.client import Json, Service

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
OneOfSchedule = Annotated[str | None, typer.Argument(help="One job; none: all.")]

POLL_S = 0.5
UNDER_WAY = ("pending", "running")

job_app = typer.Typer(help="Offline jobs on the cluster · 离线任务\n\nExample: laoma job submit seal --wait", no_args_is_help=True)


@job_app.command("submit", context_settings={"ignore_unknown_options": True})
def submit(
    name: Annotated[str, typer.Argument(help="The job, e.g. seal; `laoma job kinds` lists them.")],
    arguments: Annotated[list[str] | None, typer.Argument(metavar="[ARGUMENT]...", help="The job's own arguments.")] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Return when it has ended; exit 1 when it failed.")] = False,
    as_json: AsJson = False,
) -> None:
    """Submit a job · 提交离线任务

    `laoma job kinds` lists what there is. With --wait its final table is printed.

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
        _show_report(job)
    if job["state"] in ("failed", "stopped"):
        why = f" ({job['detail']})" if job["detail"] else ""
        raise LaomaError(f"job {job['id']} {job['state']}{why}: `laoma job logs {job['id']}` says more")


@job_app.command("kinds")
def kinds(as_json: AsJson = False) -> None:
    """What can be submitted · 可提交的任务种类

    \b
    Example:
      laoma job kinds
    """
    from schemas.job import JOBS

    if as_json:
        print_json({name: kind.model_dump(exclude={"module"}) for name, kind in JOBS.items()})
    else:
        print_table(("name", "does"), [(name, say(kind.english, kind.chinese)) for name, kind in JOBS.items()])


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
      laoma job show seal-20260302T040000-1f2a
    """
    place = here()
    job = place.service().get(f"/v1/jobs/{quote(id, safe='')}")
    if as_json:
        print_json(job)
    else:
        words = (job["id"], job["name"], job["state"], short_time(job["submitted_at"], place.zone), job["detail"] or _how_far(job))
        print_line("  ".join(words).rstrip())
        _show_report(job)


@job_app.command("logs")
def logs(id: Annotated[str, typer.Argument(help="The job's id.")], as_json: AsJson = False) -> None:
    """What a job printed · 任务的输出

    \b
    Example:
      laoma job logs seal-20260302T040000-1f2a
    """
    printed = here().service().get(f"/v1/jobs/{quote(id, safe='')}/logs")
    if as_json:
        print_json(printed)
    else:
        print_line(printed["text"].rstrip("\n"))


@job_app.command("stop")
def stop(id: Annotated[str, typer.Argument(help="The job's id.")], as_json: AsJson = False) -> None:
    """Stop a job where it is; submitting it again does the rest · 停止任务

    \b
    Example:
      laoma job stop seal-20260302T040000-1f2a
    """
    job = here().service().post(f"/v1/jobs/{quote(id, safe='')}/stop", None)
    if as_json:
        print_json(job)
    else:
        print_line(f"{job['id']}  {job['state']}")


@job_app.command("schedule")
def schedule(as_json: AsJson = False) -> None:
    """What runs by itself, and when · 定时任务

    `schedule` in config.yaml changes it, e.g. `schedule: {seal: "30 2 * * *"}`.

    \b
    Example:
      laoma job schedule
    """
    place = here()
    _show_schedule(place.service().get("/v1/schedule"), place.zone, as_json)


@job_app.command("pause")
def pause(name: OneOfSchedule = None, as_json: AsJson = False) -> None:
    """Hold the schedule, or one job of it · 暂停定时任务

    \b
    Examples:
      laoma job pause
      laoma job pause seal
    """
    _set_paused(name, True, as_json)


@job_app.command("resume")
def resume(name: OneOfSchedule = None, as_json: AsJson = False) -> None:
    """Let it go on; what fell due meanwhile is caught up once · 恢复定时任务

    \b
    Examples:
      laoma job resume
      laoma job resume seal
    """
    _set_paused(name, False, as_json)


def _set_paused(name: str | None, paused: bool, as_json: bool) -> None:
    place = here()
    path = "/v1/schedule" + (f"/{quote(name, safe='')}" if name else "")
    _show_schedule(place.service().request("PUT", path, json={"paused": paused}), place.zone, as_json)


def _show_schedule(told: Json, zone: ZoneInfo, as_json: bool) -> None:
    if as_json:
        print_json(told)
        return
    if told["paused"]:
        print_note(say("The schedule is paused: `laoma job resume`", "定时任务已暂停：`laoma job resume`"))
    print_table(
        ("next", "name", "cron", "last", "state", "job"),
        [
            (
                say("paused", "暂停") if one["paused"] else short_time(one["next_due"], zone),
                one["name"], one["cron"], short_time(one["last_due"], zone), one["last_state"] or "", one["last_job"] or "",
            )
            for one in told["data"]
        ],
    )  # fmt: skip


def _until_ended(service: Service, job: Json) -> Json:
    with stepping(say(f"job {job['id']}", f"任务 {job['id']}")) as step:
        while job["state"] in UNDER_WAY:
            time.sleep(POLL_S)
            job = service.get(f"/v1/jobs/{quote(job['id'], safe='')}")
            far = job["progress"] or {}
            step(f"{job['name']} {job['state']} {far.get('what', '')}".rstrip(), far.get("done") or 0, far.get("total"))
    return job


def _how_far(job: Json) -> str:
    far = job["progress"]
    if not far or job["state"] not in UNDER_WAY:
        return ""
    return f"{far['done']}/{far['total']} {far['what']}" if far["total"] is not None else f"{far['done']} {far['what']}"


def _show_report(job: Json) -> None:
    if job["report"]:
        print_table(job["report"]["columns"], job["report"]["rows"])
