"""erase: nothing of you is left."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

import typer

from commands.output import confirm, print_json, print_line, say, waiting
from commands.place import here


def erase(
    user: Annotated[str, typer.Argument(help="Your own name, as `laoma profile` shows it (the owner's is `owner`).")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Erase all that is stored of you, for good · 彻底清除你的全部数据

    Memories, conversations, history, logs and what snapshots hold of them; a backup that is restored later doesn't bring it back. Files
    that you exported or backed up yourself stay. `laoma export` first, if you may want it.

    \b
    Example:
      laoma erase owner
    """
    confirm(say(f"Erase everything of {user} for good.", f"彻底清除 {user} 的全部数据。"), yes)
    with waiting(say("erasing", "正在清除")):
        done = here().service().delete(f"/v1/me?user={quote(user, safe='')}")
    if as_json:
        print_json(done)
    else:
        print_line(say(f"Erased: {done['rows']} rows.", f"已清除：{done['rows']} 行。"))
