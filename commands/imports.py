"""import: old chats from other programs, and the way back."""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from commands.output import confirm, in_path, print_json, print_line, print_note, print_table, say, short_time, stepping
from commands.place import here
from schemas.errors import InvalidRequest, LaomaError, Misuse

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from commands.client import Json, Service

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_POLL_S = 0.5
_UNDER_WAY = ("pending", "running")
_ENDINGS = (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".txt", ".zip")
_SHOWN = 20


class _FilesOrCommand(TyperGroup):
    """``laoma import FILE…`` beside ``laoma import list``: what names no command is a file."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in self.commands:
            args = ["files", *args]
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0].startswith("-") and args[0] not in ctx.help_option_names:
            args = ["files", *args]
        return super().parse_args(ctx, args)


import_app = typer.Typer(
    cls=_FilesOrCommand,
    no_args_is_help=True,
    help="Import old chats · 导入旧聊天记录\n\n"
    "Exports of ChatGPT, Claude, Open WebUI, LobeChat, NextChat, Cherry Studio, ChatBox, SillyTavern; ShareGPT, OpenAI messages, CSV, "
    "WeChat text; saved memories of ChatGPT and mem0; also zipped, or a folder of them."
    "\n\nExample: laoma import chatgpt-export.zip --dry-run",
)


@import_app.command("files", hidden=True)
def files(
    paths: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Files, folders or zip archives.")],
    format: Annotated[str, typer.Option(help="auto: told by the content.")] = "auto",
    me: Annotated[str | None, typer.Option(help="Your name in chats among people (WeChat).")] = None,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Pass over what can't be read, and say which.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Store nothing, show what would be kept.")] = False,
    as_json: AsJson = False,
) -> None:
    """Import files · 导入文件

    What lasts becomes memories, everything becomes searchable. Importing again adds nothing; `laoma import undo ID` takes all of it back.

    \b
    Examples:
      laoma import conversations.json
      laoma import 微信聊天.txt --me 林晚 --dry-run
    """
    found = _found(paths)
    service = here().service()
    fields: dict[str, Any] = {"format": format, "skip_bad": str(skip_bad).lower(), "dry_run": str(dry_run).lower()}
    if me:
        fields["me"] = me
    with ExitStack() as stack:
        opened = [("files", (name, stack.enter_context(path.open("rb")))) for path, name in found]
        fields["modified"] = [str(path.stat().st_mtime) for path, _ in found]
        told = service.request("POST", "/v1/imports", data=fields, files=opened)
    told = _until_ended(service, told)
    if told["state"] != "done":
        why = told["detail"] or told["state"]
        more = f": `laoma import resume {told['id']}` goes on" if told["state"] == "stopped" else ""
        raise (InvalidRequest if told["state"] == "failed" else LaomaError)(f"{why}{more}")
    if as_json:
        print_json(told)
    else:
        _show(told, here().zone)


@import_app.command("list")
def list_imports(as_json: AsJson = False) -> None:
    """Imports, latest first · 列出导入

    \b
    Example:
      laoma import list
    """
    place = here()
    found = place.service().get("/v1/imports")["data"]
    if as_json:
        print_json(found)
    elif not found:
        print_note(say("Nothing was imported yet.", "还没有导入过。"))
    else:
        print_table(
            ("when", "id", "state", "turns", "memories", "files"),
            [
                (
                    short_time(one["at"], place.zone), one["id"], _state(one), one["turns"],
                    one["kept"].get("create", 0), ", ".join(one["files"])[:60],
                )
                for one in found
            ],
        )  # fmt: skip


@import_app.command("show")
def show(id: Annotated[str, typer.Argument(help="The import's id.")], as_json: AsJson = False) -> None:
    """What one kept, and why the rest was dropped · 查看一次导入

    \b
    Example:
      laoma import show imp-20260302t040000-1f2a3b
    """
    place = here()
    told = place.service().get(f"/v1/imports/{in_path(id)}")
    if as_json:
        print_json(told)
    else:
        _show(told, place.zone)


@import_app.command("resume")
def resume(id: Annotated[str, typer.Argument(help="The import's id.")], as_json: AsJson = False) -> None:
    """Go on with one that was broken off · 继续中断的导入

    \b
    Example:
      laoma import resume imp-20260302t040000-1f2a3b
    """
    place = here()
    service = place.service()
    told = _until_ended(service, service.post(f"/v1/imports/{in_path(id)}/resume", None))
    if told["state"] != "done":
        raise LaomaError(told["detail"] or told["state"])
    if as_json:
        print_json(told)
    else:
        _show(told, place.zone)


@import_app.command("undo")
def undo(
    id: Annotated[str, typer.Argument(help="The import's id.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Take a whole import back · 撤销一次导入

    Its turns go, and the memories that nothing else confirms; what it had replaced holds again.

    \b
    Example:
      laoma import undo imp-20260302t040000-1f2a3b
    """
    confirm(say(f"Undo import {id}?", f"撤销导入 {id}？"), yes)
    undone = here().service().delete(f"/v1/imports/{in_path(id)}")
    if as_json:
        print_json(undone)
    else:
        turns, gone, back = undone["turns"], undone["memories"], undone["restored"]
        print_line(
            say(
                f"{turns} turns and {gone} memories are gone, {back} memories are as they were before.",
                f"已移除 {turns} 条对话和 {gone} 条记忆，{back} 条记忆恢复原样。",
            )
        )


def _found(paths: list[Path]) -> list[tuple[Path, str]]:
    """The files, each with its name for people. Raises Misuse for what is not there."""
    found: list[tuple[Path, str]] = []
    for path in paths:
        if path.is_dir():
            found += [(one, one.name) for one in sorted(path.rglob("*")) if one.is_file() and one.suffix.lower() in _ENDINGS]
        elif path.is_file():
            found.append((path, path.name))
        else:
            raise Misuse(f"{path}: no such file or folder")
    if not found:
        raise Misuse(f"{paths[0]}: holds no file that could be an export ({', '.join(_ENDINGS)})")
    return found


def _until_ended(service: Service, told: Json) -> Json:
    with stepping(say("importing", "正在导入")) as step:
        while told["state"] in _UNDER_WAY:
            time.sleep(_POLL_S)
            told = service.get(f"/v1/imports/{in_path(told['id'])}")
            far = told["progress"] or {}
            step(say("importing", "正在导入"), far.get("done") or 0, far.get("total"))
    return told


def _state(told: Json) -> str:
    return f"{told['state']} (dry run)" if told["dry_run"] else str(told["state"])


def _show(told: Json, zone: ZoneInfo) -> None:
    print_line(f"{told['id']}  {_state(told)}  {', '.join(told['formats'])}")
    print_table(
        ("what", "count"),
        [
            ("conversations", told["conversations"]),
            ("turns", told["turns"]),
            *((name.replace("_", " "), count) for name, count in sorted(told["kept"].items())),
        ],
    )
    for problem in told["problems"][:_SHOWN]:
        print_note(problem)
    if told["would_keep"] is not None:
        print_line(say("Would be kept:", "将会记住："))
        print_table(("said", "kind", "text"), [(short_time(one["at"], zone), one["kind"], one["text"]) for one in told["would_keep"]])
