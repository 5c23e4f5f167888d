"""snapshot: states of the whole lake to go back to."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

import typer

from commands.output import confirm, print_json, print_line, print_note, print_table, say, short_time, waiting
from commands.place import here

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")]

snapshot_app = typer.Typer(
    help="Snapshots: states to go back to · 快照\n\nExample: laoma snapshot create before-cleaning", no_args_is_help=True
)


@snapshot_app.command("create")
def create(name: Annotated[str | None, typer.Argument(help="Letters, digits, . _ -")] = None, as_json: AsJson = False) -> None:
    """Make one, while serving · 建立快照

    All tables, policies and logs together. Hardly takes space: it shares its files with the lake until they change.

    \b
    Example:
      laoma snapshot create before-cleaning
    """
    with waiting(say("making a snapshot", "正在建立快照")):
        made = here().service().post("/v1/snapshots", {"name": name})
    if as_json:
        print_json(made)
    else:
        print_line(made["name"])


@snapshot_app.command("list")
def list_snapshots(as_json: AsJson = False) -> None:
    """Latest first · 列出快照

    \b
    Example:
      laoma snapshot list
    """
    place = here()
    found = place.service().get("/v1/snapshots")["data"]
    if as_json:
        print_json(found)
    elif not found:
        print_note(say("No snapshots yet: `laoma snapshot create`", "还没有快照：`laoma snapshot create`"))
    else:
        print_table(
            ("made", "name", "why", "turns", "memories"),
            [(short_time(one["at"], place.zone), one["name"], one["reason"], _rows(one, "turns"), _rows(one, "memories")) for one in found],
        )


@snapshot_app.command("restore")
def restore(
    name: Annotated[str, typer.Argument(help="As `laoma snapshot list` shows it.")], yes: Yes = False, as_json: AsJson = False
) -> None:
    """Go back to one · 恢复快照

    What was said and learnt since leaves the lake (a snapshot of it is made first); what was deleted since stays deleted.

    \b
    Example:
      laoma snapshot restore before-cleaning --yes
    """
    confirm(
        say(f"Go back to {name}: what was said and learnt since leaves the lake.", f"恢复到 {name}：之后说过和学到的将离开数据湖。"), yes
    )
    with waiting(say("restoring", "正在恢复")):
        done = here().service().post(f"/v1/snapshots/{quote(name, safe='')}/restore", None)
    if as_json:
        print_json(done)
    else:
        print_line(
            say(
                f"Restored {done['restored']}; deletions carried out again: {done['replayed']}. What was there before: {done['before']}",
                f"已恢复 {done['restored']}；重新执行的删除：{done['replayed']}。之前的状态：{done['before']}",
            )
        )


@snapshot_app.command("prune")
def prune(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help="These; none: by age.")] = None,
    keep: Annotated[int, typer.Option(min=0, help="Without names: how many of the latest stay.")] = 10,
    by_hand: Annotated[bool, typer.Option("--all", help="Without names: those made by hand too, not the automatic ones alone.")] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Delete some · 清理快照

    \b
    Examples:
      laoma snapshot prune --keep 3
      laoma snapshot prune before-cleaning --yes
    """
    service = here().service()
    if not names:
        found = [one for one in service.get("/v1/snapshots")["data"] if by_hand or one["reason"] != "hand"]
        names = [one["name"] for one in found[keep:]]
    if names:
        confirm(say(f"Delete for good: {', '.join(names)}", f"永久删除：{'、'.join(names)}"), yes)
    for name in names:
        service.delete(f"/v1/snapshots/{quote(name, safe='')}")
    if as_json:
        print_json({"deleted": names})
    else:
        print_line(say(f"{len(names)} deleted", f"已删除 {len(names)} 个"))


def _rows(snapshot: dict[str, list[dict[str, dict[str, int]]]], table: str) -> int:
    return sum(shard["rows"].get(table, 0) for shard in snapshot["shards"])
