"""panel: a link that signs in to the pages."""

from __future__ import annotations

import webbrowser
from typing import Annotated

import typer

from commands.output import print_json, print_line, say
from commands.place import here


def panel(
    browser: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """A link to the panel · 打开网页面板

    It signs in once, as the user of the key, and is worthless after ten minutes.

    \b
    Example:
      laoma panel --open
    """
    link = here().service().post("/v1/panel/links", {})
    if as_json:
        print_json(link)
        return
    print_line(link["url"])
    print_line(say("Signs in once, within ten minutes.", "只能登录一次，十分钟内有效。"))
    if browser:
        webbrowser.open(link["url"])
