"""conversations: what was said, to read and to delete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from commands.output import confirm, in_path, print_json, print_line, print_note, print_table, say, short_time, waiting
from commands.place import here

if TYPE_CHECKING:
    from commands.client import Json

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

conversations_app = typer.Typer()


@conversations_app.callback(invoke_without_command=True)
def list_conversations(
    context: typer.Context,
    limit: Annotated[int, typer.Option(min=1, help="At most this many.")] = 50,
    as_json: AsJson = False,
) -> None:
    """Your conversations, latest first · 列出对话

    \b
    Examples:
      laoma conversations
      laoma conversations show tea-talk
      laoma conversations delete tea-talk
    """
    if context.invoked_subcommand is not None:
        return
    place = here()
    with waiting(say("reading conversations", "正在读取对话")):
        rows = place.service().pages("/v1/conversations", limit)
    if as_json:
        print_json(rows)
    elif not rows:
        print_note(say("There is no conversation yet.", "还没有对话。"))
    else:
        zone = place.zone
        print_table(
            ("last said", "begun", "title", "id"),
            [(short_time(one["last_at"], zone), short_time(one["opened_at"], zone), one["title"] or "", one["id"]) for one in rows],
        )


@conversations_app.command("show")
def show(id: Annotated[str, typer.Argument(help="From `laoma conversations`.")], as_json: AsJson = False) -> None:
    """What was said in one · 看一次对话

    \b
    Example:
      laoma conversations show tea-talk
    """
    place = here()
    found = place.service().get(f"/v1/conversations/{in_path(id)}")
    if as_json:
        print_json(found)
        return
    zone = place.zone
    for turn in found["turns"]:
        print_line(f"{short_time(turn['at'], zone)}  {turn['speaker'] or turn['role']}: {turn['content']}")


@conversations_app.command("delete")
def delete(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="From `laoma conversations`.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete what was said in them, for good · 永久删除对话

    Memories drawn from them stay: `laoma forget ID` deletes those.

    \b
    Example:
      laoma conversations delete tea-talk
    """
    service = here().service()
    turns = {id: service.get(f"/v1/conversations/{in_path(id)}")["turns"] for id in ids}
    confirm("\n".join([say("Delete for good:", "永久删除："), *(_in_short(id, said) for id, said in turns.items())]), yes)
    for id in turns:
        service.delete(f"/v1/conversations/{in_path(id)}")
    if as_json:
        print_json({"deleted": list(turns)})
        return
    for id, said in turns.items():
        print_line(say(f"Deleted: {id}, {len(said)} turns", f"已删除：{id}，{len(said)} 轮话"))
    print_note(say("Memories drawn from it stay: `laoma memories` lists them.", "由它得来的记忆仍在：`laoma memories` 可列出。"))


def _in_short(id: str, turns: list[Json]) -> str:
    first = " ".join(turns[0]["content"].split())[:60] if turns else ""
    return say(f"  {id}: {len(turns)} turns, beginning: {first}", f"  {id}：{len(turns)} 轮话，开头：{first}")
