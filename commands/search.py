"""search: what was said, and when."""

from __future__ import annotations

from typing import Annotated

import typer

from commands.output import print_json, print_note, print_table, say, short_time, waiting
from commands.place import here


def search(
    query: Annotated[str, typer.Argument(help="A question or words.")],
    limit: Annotated[int, typer.Option(min=1, max=50, help="At most this many turns.")] = 5,
    since: Annotated[str | None, typer.Option("--from", help="Not before, ISO time with zone.")] = None,
    until: Annotated[str | None, typer.Option("--to", help="Not after, ISO time with zone.")] = None,
    conversation: Annotated[str | None, typer.Option(help="Only in this conversation.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Search what was said · 搜索说过的话

    \b
    Examples:
      laoma search "上周三说的那家面馆"
      laoma search "which book did you recommend?" --from 2026-03-01T00:00:00+08:00
    """
    body = {"query": query, "limit": limit, "from": since, "to": until, "conversation_id": conversation}
    place = here()
    with waiting(say("searching", "正在搜索")):
        found = place.service().post("/v1/turns/search", {name: value for name, value in body.items() if value is not None})
    if as_json:
        print_json(found)
        return
    if not found["turns"]:
        print_note(say("Nothing like it was said.", "没有说过类似的话。"))
    else:
        print_table(
            ("score", "said", "who", "conversation", "words"),
            [
                (one["score"], short_time(one["at"], place.zone), one["speaker"] or one["role"], one["conversation_id"], one["content"])
                for one in found["turns"]
            ],
        )
    if not found["complete"]:
        print_note(say("Some turns are found by their words alone so far: ask again later.", "部分话轮暂时只能按字词找到：稍后再搜。"))
