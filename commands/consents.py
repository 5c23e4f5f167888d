"""consent: which sensitive matters may be kept."""

from __future__ import annotations

from typing import Annotated

import typer

from commands.output import print_json, print_note, print_table, say
from commands.place import here
from schemas.errors import Misuse

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Category = Annotated[str, typer.Argument(help="health, religion, politics or government.")]
_CATEGORIES = ("health", "religion", "politics", "government")

consent_app = typer.Typer(
    help="Leave to keep sensitive matters · 敏感信息的授权\n\nExample: laoma consent give health", no_args_is_help=True
)


@consent_app.command("list")
def list_consents(as_json: AsJson = False) -> None:
    """Matters you agreed to have kept · 列出授权

    \b
    Example:
      laoma consent list
    """
    rows = here().service().get("/v1/consents")
    if as_json:
        print_json(rows)
        return
    if not rows:
        print_note(say("None: health, religion, politics and official matters are not kept.", "没有：健康、信仰、政治、涉官事务都不记。"))
        return
    print_table(("matter", "since"), [(row["id"], row["given_at"]) for row in rows])


@consent_app.command("give")
def give(category: Category) -> None:
    """Let what you say about a matter be kept · 授权

    \b
    Example:
      laoma consent give health
    """
    here().service().request("PUT", "/v1/consents", json={"category": _known(category)})
    print_note(say(f"From now on what you say about {category} is kept.", f"从现在起，你说的有关 {category} 的话会被记住。"))


@consent_app.command("withdraw")
def withdraw(category: Category) -> None:
    """Take the leave back; what was kept stays until you delete it · 撤回授权

    \b
    Example:
      laoma consent withdraw health
    """
    here().service().delete(f"/v1/consents?category={_known(category)}")
    print_note(say(f"Nothing about {category} is kept any more.", f"以后不再记有关 {category} 的话。"))


def _known(category: str) -> str:
    if category not in _CATEGORIES:
        raise Misuse(f"There is no matter {category!r}: it is one of {', '.join(_CATEGORIES)}.")
    return category
