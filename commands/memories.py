"""remember, recall, memories: what laoma knows about you."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from commands.output import in_path, print_json, print_line, print_note, print_table, say, short_time, waiting
from commands.place import here

if TYPE_CHECKING:
    from commands.client import Json

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

memories_app = typer.Typer()


def remember(
    text: Annotated[str, typer.Argument(help="One statement, as you would say it.")],
    kind: Annotated[str | None, typer.Option(help="profile, fact, preference, event or knowledge; recognised when left out.")] = None,
    as_json: AsJson = False,
) -> None:
    """Remember a statement · 记住一句话

    \b
    Example:
      laoma remember "我对花生过敏"
    """
    body = {"text": text} if kind is None else {"text": text, "kind": kind}
    with waiting(say("remembering", "正在记")):
        memory = here().service().post("/v1/memories", body)
    if as_json:
        print_json(memory)
    else:
        print_line(say("Remembered: ", "记住了：") + f"{memory['text']}  ({memory['kind']} {memory['key']}, {memory['id']})")


def recall(
    query: Annotated[str, typer.Argument(help="A question, as you would ask it.")],
    limit: Annotated[int, typer.Option(min=1, max=50, help="At most this many memories.")] = 5,
    at: Annotated[str | None, typer.Option(help="As of then, ISO time with zone.")] = None,
    kind: Annotated[list[str] | None, typer.Option(help="Only this kind; may be given several times.")] = None,
    archived: Annotated[bool, typer.Option("--archived", help="Archived memories too.")] = False,
    as_json: AsJson = False,
) -> None:
    """What it remembers for a question · 看它会想起什么

    score = 0.55 relevant + 0.25 recent + 0.10 used + 0.10 sure, each between 0 and 1:

    \b
    relevant  how certain it is that the memory answers the question; 1.00 is as good as certain,
              and below 0.50 (recall.threshold) nothing is recalled ("semantic" in --json)
    recent    1.00 within a day of the last use or confirmation, then fading ("recency")
    used      how often it was used so far ("frequency")
    sure      how sure the memory itself is ("confidence")

    \b
    Example:
      laoma recall "我早上喝什么？"
    """
    body = {"query": query, "limit": limit, "at": at, "kinds": kind or None, "include_archived": archived}
    with waiting(say("recalling", "正在回想")):
        found = here().service().post("/v1/recall", {name: value for name, value in body.items() if value is not None})
    if as_json:
        print_json(found)
        return
    if not found["memories"]:
        print_note(say("Nothing relevant is remembered.", "没有相关的记忆。"))
        return
    print_table(
        ("score", "relevant", "recent", "used", "sure", "kind", "text", "id"),
        [
            (m["score"], *(m["parts"][p] for p in ("semantic", "recency", "frequency", "confidence")), m["kind"], m["text"], m["id"])
            for m in found["memories"]
        ],
    )


@memories_app.callback(invoke_without_command=True)
def list_memories(
    context: typer.Context,
    query: Annotated[str | None, typer.Option("--q", help="Only those with these words.")] = None,
    kind: Annotated[str | None, typer.Option(help="profile, fact, preference, event or knowledge.")] = None,
    status: Annotated[str | None, typer.Option(help="active, probation, pending, deprecated or archived.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most this many.")] = 100,
    as_json: AsJson = False,
) -> None:
    """What is remembered about you · 它记得关于你的哪些信息

    Latest change first; without --status all but the deprecated and archived ones.

    \b
    Examples:
      laoma memories
      laoma memories --kind preference --status active
      laoma memories show 019a0c1e-0000-7000-8000-000000000000
    """
    if context.invoked_subcommand is not None:
        return
    with waiting(say("reading memories", "正在读取记忆")):
        place = here()
        rows, zone = place.service().pages("/v1/memories", limit, q=query, kind=kind, status=status), place.zone
    if as_json:
        print_json(rows)
    elif not rows:
        print_note(say("Nothing is remembered yet.", "还没有记忆。"))
    else:
        print_table(
            ("updated", "kind", "key", "text", "conf", "status", "id"),
            [(short_time(m["updated_at"], zone), m["kind"], m["key"], m["text"], m["confidence"], m["status"], m["id"]) for m in rows],
        )


@memories_app.command("show")
def show_memory(id: Annotated[str, typer.Argument(help="The memory's id.")], as_json: AsJson = False) -> None:
    """One memory, its history, the turns it came from · 一条记忆的来历

    \b
    Example:
      laoma memories show 019a0c1e-0000-7000-8000-000000000000
    """
    place = here()
    detail = place.service().get(f"/v1/memories/{in_path(id)}")
    if as_json:
        print_json(detail)
        return
    memory, zone = detail["memory"], place.zone
    print_line(memory["text"])
    print_line(
        f"  {memory['kind']} · {memory['key']} · {memory['scene']} · {memory['status']} · {memory['source']} {memory['confidence']:.2f}"
    )
    print_line(f"  {say('version', '版本')} {memory['version']} · {short_time(memory['updated_at'], zone)} · {memory['id']}")
    print_line(say("History:", "变更："))
    for change in detail["history"]:
        print_line(f"  {short_time(change['at'], zone)}  {change['action']} ({change['actor']}): {change['reason']}{_texts(change)}")
    if detail["turns"]:
        print_line(say("From:", "出处："))
    else:
        print_line(
            say(
                "From no conversation: told as a memory, or deleted since.",
                "没有出处：直接作为记忆告诉的，或出处已删除。",
            )
        )
    for turn in detail["turns"]:
        print_line(f"  {short_time(turn['at'], zone)}  {turn['speaker'] or turn['role']}: {turn['content']}")
        print_line(f"    {say('conversation', '对话')} {turn['conversation']}")


def _texts(change: Json) -> str:
    before, after = change.get("before"), change.get("after")
    if before and after and before != after:
        return f"  「{before}」→「{after}」"
    return f"  「{after or before}」" if after or before else ""
