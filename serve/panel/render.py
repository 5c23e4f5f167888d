"""Pages from templates: escaped by default, no inline script, headers that let a browser run and load nothing but ours."""

from __future__ import annotations

import hashlib
import re
from datetime import datetime
from functools import cache, partial
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from serve.panel.sessions import Session
from serve.panel.words import language_of, translate, translate_reason
from serve.parts import parts_of

FOLDER = Path(__file__).parent
SECURITY = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
PAGES = (
    ("", "Chat"),
    ("memories", "Memories"),
    ("changes", "Changes"),
    ("profile", "Profile"),
    ("learning", "Learning"),
    ("import", "Import"),
    ("jobs", "Jobs"),
    ("health", "Health"),
)
_ADMIN = {"jobs"}
_BYTES_IN_STEP = 1024
_ID = re.compile(r"\b([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b")


def page(request: Request, template: str, session: Session | None = None, *, status: int = 200, **values: Any) -> HTMLResponse:
    """A template as a response, in the reader's language."""
    language = language_of(request)
    zone = ZoneInfo(parts_of(request).settings.zone)
    admin = session is not None and "admin" in session.key.roles
    text = (
        _environment()
        .get_template(template)
        .render(
            t=partial(translate, language),
            why=partial(translate_reason, language),
            language=language,
            session=session,
            admin=admin,
            path=request.url.path.removeprefix("/panel").strip("/"),
            pages=[(path, title) for path, title in PAGES if admin or path not in _ADMIN],
            moment=partial(_moment, zone),
            static=static,
            **values,
        )
    )
    return HTMLResponse(text, status, headers={**SECURITY, "Cache-Control": "no-store"})


def static(name: str) -> str:
    """The address of a file of ours; it changes with the file, so that browsers may keep it."""
    return f"/panel/static/{name}?v={_hash(name)}"


def _environment() -> Environment:
    return _made()


@cache
def _made() -> Environment:
    made = Environment(
        loader=FileSystemLoader(FOLDER / "templates"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.filters["markdown"] = markdown
    made.filters["size"] = size
    made.filters["linked"] = linked
    made.filters["coded"] = coded
    return made


def markdown(text: str) -> Markup:
    """A reply's markdown as HTML: tags in it are shown as text, links open nothing but http, images are not loaded."""
    return Markup(_markdown().render(text))  # html is off: markdown-it escapes what looks like it


def linked(reason: str) -> Markup:
    """A reason with the memories that it names as links."""
    parts = _ID.split(reason)  # every second part is an id
    return Markup("").join(
        Markup('<a href="/panel/memories/{0}">{1}…</a>').format(part, part[:8]) if number % 2 else part for number, part in enumerate(parts)
    )


def coded(text: str) -> Markup:
    """A text with what stands between backticks as code."""
    parts = text.split("`")  # every second part stands between them
    return Markup("").join(Markup("<code>{}</code>").format(part) if number % 2 else part for number, part in enumerate(parts))


def size(count: float) -> str:
    """Bytes for people."""
    for unit in ("B", "KiB", "MiB"):
        if count < _BYTES_IN_STEP:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= _BYTES_IN_STEP
    return f"{count:.1f} GiB"


@cache
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable(["image"])


@cache
def _hash(name: str) -> str:
    return hashlib.sha256((FOLDER / "static" / name).read_bytes()).hexdigest()[:12]


def _moment(zone: ZoneInfo, at: datetime | None) -> str:
    return at.astimezone(zone).strftime("%Y-%m-%d %H:%M") if at else "—"
