"""The panel in the gateway: its pages, its files, its sessions."""

from __future__ import annotations

from fastapi import FastAPI
from starlette.staticfiles import StaticFiles

from serve.panel.links import SignInLinks
from serve.panel.pages import changes, chat, entry, health, importing, jobs, learning, memories, profile
from serve.panel.render import FOLDER
from serve.panel.sessions import Sessions
from serve.parts import Parts


def install(app: FastAPI, parts: Parts) -> None:
    """Add ``/panel`` to the gateway's app."""
    app.state.panel_sessions = Sessions(parts.home, parts.keys, parts.settings.panel.session_days)
    app.state.panel_links = SignInLinks(parts.now, parts.settings.panel.link_minutes)
    app.include_router(entry.api)
    for topic in (entry, chat, memories, changes, profile, learning, importing, jobs, health):
        app.include_router(topic.router)
    app.mount("/panel/static", StaticFiles(directory=FOLDER / "static"), name="panel-static")
