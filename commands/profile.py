"""profile: who you are, as far as it is known."""

from __future__ import annotations

from typing import Annotated

import typer

from commands.output import print_json, print_line, print_note, print_table, say
from commands.place import here


def profile(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Who you are, as far as it is known · 你的画像

    Attributes, preferences with how sure they are, and how you talked in the last seven days.

    \b
    Example:
      laoma profile
    """
    found = here().service().get("/v1/profile")
    if as_json:
        print_json(found)
        return
    if not found["attributes"] and not found["preferences"]:
        print_note(say("Nothing is known yet.", "还一无所知。"))
    for name, value in found["attributes"].items():
        print_line(f"{name}: {value}")
    if found["preferences"]:
        print_table(
            ("preference", "scene", "source", "sure", "id"),
            [(one["text"], one["scene"], one["source"], one["confidence"], one["id"]) for one in found["preferences"]],
        )
    talked = found["behaviour"]
    hours = ", ".join(f"{hour}:00" for hour in talked["preferred_hours"]) or "-"
    print_line(
        say(
            f"Last seven days: {talked['conversations']} conversations of {talked['mean_exchanges']:.1f} exchanges on average, "
            f"mostly at {hours}; thumbs {talked['thumbs_up']} up, {talked['thumbs_down']} down",
            f"最近七天：{talked['conversations']} 次对话，平均 {talked['mean_exchanges']:.1f} 个来回，多在 {hours}；"
            f"点赞 {talked['thumbs_up']}，点踩 {talked['thumbs_down']}",
        )
    )
