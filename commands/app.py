"""All commands under one name."""

from __future__ import annotations

from typing import Annotated

import typer

from commands.backup import backup, restore
from commands.bench import bench_app
from commands.changing import correct, forget
from commands.chat import chat
from commands.consents import consent_app
from commands.conversations import conversations_app
from commands.doctor import doctor
from commands.erase import erase
from commands.evaluate import evaluate
from commands.evolution import policies_app, revisions_app
from commands.export import export
from commands.imports import import_app
from commands.jobs import job_app
from commands.keys import key_app
from commands.mcp import mcp
from commands.memories import memories_app, recall, remember
from commands.models import model_app
from commands.panel import panel
from commands.place import release
from commands.profile import profile
from commands.search import search
from commands.service import service_app
from commands.snapshots import snapshot_app
from commands.sql import sql
from commands.status import status
from commands.up import down, up


def build() -> typer.Typer:
    """The application; plain help, because drawing frames takes longer than everything else that `--help` does."""
    app = typer.Typer(
        name="laoma",
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    app.callback()(_root)
    for command in (
        up,
        down,
        status,
        doctor,
        panel,
        chat,
        remember,
        recall,
        correct,
        forget,
        search,
        profile,
        sql,
        export,
        erase,
        backup,
        restore,
        mcp,
    ):
        app.command()(command)
    app.command("eval")(evaluate)
    app.add_typer(memories_app, name="memories")
    app.add_typer(conversations_app, name="conversations")
    app.add_typer(import_app, name="import")
    app.add_typer(key_app, name="key")
    app.add_typer(consent_app, name="consent")
    app.add_typer(revisions_app, name="revisions")
    app.add_typer(policies_app, name="policies")
    app.add_typer(model_app, name="model")
    app.add_typer(job_app, name="job")
    app.add_typer(snapshot_app, name="snapshot")
    app.add_typer(service_app, name="service")
    app.add_typer(bench_app, name="bench")
    return app


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(release() or "(not installed: runs from its folder)")
        raise typer.Exit


def _root(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """laoma (老马): an assistant at home that remembers you · 一个记得你的家用助理

    LAOMA_HOME says where everything lies (~/.local/share/laoma); LAOMA_URL and LAOMA_KEY speak to another service or as another user.

    \b
    Example:
      laoma up && laoma chat
    """
