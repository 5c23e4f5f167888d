"""revisions and policies: what the assistant wants to change about itself, and the way back."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from commands.output import in_path, print_json, print_line, print_note, print_table, say, short_time, stepping, waiting
from commands.place import here
from schemas.errors import Forbidden, LaomaError, NotFound

if TYPE_CHECKING:
    from commands.client import Service

_LOOK_S = 1.0

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Id = Annotated[str, typer.Argument(help="As `laoma revisions list` shows it; its beginning is enough.")]

revisions_app = typer.Typer(
    help="What the assistant wants to change about itself · 行为修订\n\nExample: laoma revisions list", no_args_is_help=True
)
policies_app = typer.Typer(
    help="Versions of how it behaves, and the way back · 行为版本\n\nExample: laoma policies list", no_args_is_help=True
)


@revisions_app.command("list")
def list_revisions(as_json: AsJson = False) -> None:
    """Latest first · 列出修订

    \b
    Example:
      laoma revisions list
    """
    place = here()
    found = place.service().get("/v1/revisions")["data"]
    if as_json:
        print_json(found)
    elif not found:
        print_note(say("Nothing was proposed yet.", "还没有修订建议。"))
    else:
        print_table(
            ("proposed", "id", "state", "scope", "zone", "gate", "rule"),
            [
                (short_time(one["at"], place.zone), one["id"], one["state"], one["scope"], one["zone"], one["gate"], _rule(one))
                for one in found
            ],
        )


@revisions_app.command("show")
def show(id: Id, as_json: AsJson = False) -> None:
    """One with its verdict, its gate, what failed, and what it would change · 查看一条修订

    \b
    Example:
      laoma revisions show 0198c2
    """
    found = here().service().get(f"/v1/revisions/{in_path(_find(id)['id'])}")
    one = found["revision"]
    if as_json:
        print_json(found)
        return
    for name in ("id", "state", "reason", "scope", "zone", "risk", "nearest", "closeness", "gate", "fault", "replacement", "policy"):
        if one[name] not in ("", None):
            print_line(f"{name}: {one[name]}")
    for case in one["cases"]:
        print_line(f"✗ {case}")
    for line in found["diff"]:
        print_line(line)


@revisions_app.command("propose")
def propose(
    rule: Annotated[str, typer.Argument(help="The new rule, one sentence.")],
    instead_of: Annotated[str, typer.Option("--instead-of", help="The rule that it replaces, word for word.")] = "",
    for_all: Annotated[bool, typer.Option("--for-all", help="For every user: needs an admin key.")] = False,
    as_json: AsJson = False,
) -> None:
    """Propose a change yourself; it is judged at once · 自己提一条

    \b
    Example:
      laoma revisions propose "先说结论，再说过程。"
    """
    body = {"replacement": rule, "fault": instead_of, "scope": "global" if for_all else "scene"}
    _print(here().service().post("/v1/revisions", body), as_json)


@revisions_app.command("approve")
def approve(
    id: Id, untested: Annotated[bool, typer.Option("--untested", help="Although no gate has tried it.")] = False, as_json: AsJson = False
) -> None:
    """Make it live, after a snapshot · 同意，先建快照再生效

    \b
    Example:
      laoma revisions approve 0198c2
    """
    one = _find(id)
    with waiting(say("making a snapshot", "正在建立快照")):
        done = here().service().post(f"/v1/revisions/{in_path(one['id'])}/approve", {"untested": untested})
    _print(done, as_json)


@revisions_app.command("test")
def try_out(id: Id, as_json: AsJson = False) -> None:
    """Have the gate try it: the scenarios before and after, by the chosen model · 用情景题检验

    \b
    Example:
      laoma revisions test 0198c2
    """
    service, one = here().service(), _find(id)
    asked = service.post(f"/v1/revisions/{in_path(one['id'])}/test", None)
    done = asked["revision"]
    with stepping(say("testing", "正在检验")) as tell:
        while asked["job"] and done["updated_at"] == one["updated_at"]:
            time.sleep(_LOOK_S)
            _follow(service, asked["job"], tell)
            done = _find(one["id"])
    _print(done, as_json)
    if not as_json:
        for case in done["cases"]:
            print_line(f"✗ {case}")


@revisions_app.command("reject")
def reject(id: Id, as_json: AsJson = False) -> None:
    """Turn it down; it is not proposed again · 拒绝

    \b
    Example:
      laoma revisions reject 0198c2
    """
    _print(here().service().post(f"/v1/revisions/{in_path(_find(id)['id'])}/reject", None), as_json)


@policies_app.command("list")
def list_policies(as_json: AsJson = False) -> None:
    """The base for all (b…) and your own (u…), latest first · 列出版本

    \b
    Example:
      laoma policies list
    """
    place = here()
    found = place.service().get("/v1/policies")
    if as_json:
        print_json(found)
        return
    print_note(say(f"live: {found['live']}", f"当前：{found['live']}"))
    print_note(_constitution(found["constitution"], found["constitution_at_start"]))
    if found["data"]:
        print_table(
            ("made", "version", "after", "rules"),
            [
                (short_time(one["at"], place.zone), one["id"], one["restores"] or one["previous"], " / ".join(_lines(one)))
                for one in found["data"]
            ],
        )


@policies_app.command("diff")
def diff(
    between: Annotated[str, typer.Argument(metavar="A..B", help="Two versions; u0 and b0 are the empty ones.")], as_json: AsJson = False
) -> None:
    """What differs between two · 比较两个版本

    \b
    Example:
      laoma policies diff u0..u1
    """
    lines = here().service().get("/v1/policies", diff=between)["diff"]
    if as_json:
        print_json(lines)
    else:
        for line in lines:
            print_line(line)


@policies_app.command("rollback")
def rollback(
    to: Annotated[str | None, typer.Argument(help="A version; left out: the one before your live one.")] = None, as_json: AsJson = False
) -> None:
    """Go back in one action, after a snapshot · 一步回退

    \b
    Example:
      laoma policies rollback u1
    """
    with waiting(say("making a snapshot", "正在建立快照")):
        done = here().service().post("/v1/policies/rollback", {"to": to})
    if as_json:
        print_json(done)
    else:
        print_line(say(f"{done['id']} says again what {done['restores']} said", f"{done['id']} 恢复了 {done['restores']} 的内容"))


def _follow(service: Service, job: str, tell: Callable[[str, int, int | None], None]) -> None:
    """How far the job is; whose key may see no jobs waits without. Raises LaomaError where it failed."""
    try:
        found = service.get(f"/v1/jobs/{in_path(job)}")
    except (Forbidden, NotFound):
        return
    if found["state"] in ("failed", "stopped"):
        raise LaomaError(found["detail"] or say(f"`laoma job logs {job}` says why", f"原因见 `laoma job logs {job}`"))
    if found["progress"]:
        tell(found["progress"]["what"], found["progress"]["done"], found["progress"]["total"])


def _constitution(digest: str, at_start: str) -> str:
    if not digest:
        return say(
            "constitution.yaml can't be read: nothing is judged before it is mended", "constitution.yaml 无法读取：修好之前不审任何修订"
        )
    edited = digest != at_start
    return say(
        f"constitution: {digest[:12]}" + (", edited since the start" if edited else ""),
        f"宪章：{digest[:12]}" + ("，启动后有人改过" if edited else ""),
    )


def _find(id: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = [one for one in here().service().get("/v1/revisions")["data"] if one["id"].startswith(id)]
    if len(found) != 1:
        raise NotFound(
            say(
                f"{len(found)} revisions begin with {id!r}: `laoma revisions list` shows them.",
                f"有 {len(found)} 条修订以 {id!r} 开头：`laoma revisions list` 列出全部。",
            )
        )
    return found[0]


def _print(revision: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(revision)
    else:
        print_line(f"{revision['id']}  {revision['state']}  {revision['policy'] or ''}  {revision['reason']}")


def _rule(revision: dict[str, Any]) -> str:
    fault, new = revision["fault"], revision["replacement"]
    return f"{fault} → {new or '∅'}" if fault else str(new)


def _lines(policy: dict[str, Any]) -> list[str]:
    return [*policy["rules"], *policy["strategies"], *policy["situations"]]
