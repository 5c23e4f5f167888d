"""correct, forget: your say in what is remembered."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from commands.output import confirm, in_path, print_json, print_line, print_note, say
from commands.place import here

if TYPE_CHECKING:
    from collections.abc import Iterable

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def correct(
    id: Annotated[str, typer.Argument(help="From `laoma memories`.")],
    text: Annotated[str, typer.Argument(help="What it should say.")],
    as_json: AsJson = False,
) -> None:
    """Correct a memory · 更正一条记忆

    What it said before stays in its history: `laoma memories show ID`.

    \b
    Example:
      laoma correct 019a0c1e-0000-7000-8000-000000000000 "我对花生和腰果过敏"
    """
    service, path = here().service(), f"/v1/memories/{in_path(id)}"
    before = service.get(path)["memory"]
    memory = service.request("PATCH", path, json={"text": text}, headers={"If-Match": str(before["version"])})
    if as_json:
        print_json(memory)
    else:
        print_line(say("Corrected: ", "已更正：") + f"{before['text']} → {memory['text']}  ({memory['id']})")


def forget(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Ids from `laoma memories`.")],
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Forget memories for good · 永久忘掉

    They are not learned again from what was said before. The conversations in which it was said stay, with their words, until you delete
    them: `laoma conversations delete ID`.

    \b
    Example:
      laoma forget 019a0c1e-0000-7000-8000-000000000000
    """
    service = here().service()
    found = {id: service.get(f"/v1/memories/{in_path(id)}") for id in ids}
    texts = [detail["memory"]["text"] for detail in found.values()]
    confirm("\n".join([say("Forget for good:", "永久忘掉："), *(f"  {text}" for text in texts)]), yes)
    for id in found:
        service.delete(f"/v1/memories/{in_path(id)}")
    told_in = list(dict.fromkeys(turn["conversation"] for detail in found.values() for turn in detail["turns"]))
    if as_json:
        print_json({"forgotten": list(found), "conversations": told_in})
        return
    for text in texts:
        print_line(say("Forgotten: ", "已忘掉：") + text)
    if told_in:
        print_note(_still_said(told_in))


def _still_said(conversations: Iterable[str]) -> str:
    command = "laoma conversations delete " + " ".join(shlex.quote(one) for one in conversations)
    return say(
        f"The words themselves still stand in the conversation, where a search finds them. To delete that too: {command}",
        f"原话还在对话里，仍可搜到。要连对话一起删除：{command}",
    )
