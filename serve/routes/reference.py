"""The HTTP reference as a page that needs nothing from the network (FastAPI's own loads its scripts from elsewhere)."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment

router = APIRouter(include_in_schema=False)
_PAGE = Environment(autoescape=True).from_string(
    """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>laoma: HTTP</title><style>
:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:54rem;margin:2rem auto;padding:0 1rem}
code{font-size:.95em}article{border-top:1px solid #8886;padding:.6rem 0}b{display:inline-block;min-width:4.5rem}pre{overflow:auto}
</style><h1>laoma: HTTP</h1><p>{{ about }} The same as <a href="/openapi.json">OpenAPI</a>. Pages: <a href="/panel">panel</a>.</p>
{% for route in routes %}<article><b>{{ route.method }}</b><code>{{ route.path }}</code> {{ route.summary }}
<p>{{ route.description }}</p>{% if route.fields %}<p>Fields:
{% for one in route.fields %}<code>{{ one }}</code>{{ ", " if not loop.last }}{% endfor %}</p>{% endif %}
{% if route.example %}<pre>{{ route.example | tojson(indent=1) }}</pre>{% endif %}</article>{% endfor %}</html>"""
)


@router.get("/")
async def front() -> RedirectResponse:
    """Whoever types the bare address finds out what is here."""
    return RedirectResponse("/docs")


@router.get("/docs")
async def reference(request: Request) -> HTMLResponse:
    """Every route with its fields and an example."""
    document = request.app.openapi()
    return HTMLResponse(_PAGE.render(about=document["info"]["description"], routes=_routes(document)))


def _routes(document: dict[str, Any]) -> list[dict[str, Any]]:
    routes = []
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            schema = _body(document, operation)
            parameters = [parameter["name"] for parameter in operation.get("parameters", [])]
            routes.append(
                {
                    "method": method.upper(),
                    "path": path,
                    "summary": operation.get("summary", ""),
                    "description": operation.get("description", ""),
                    "fields": [*parameters, *schema.get("properties", {})],
                    "example": next(iter(schema.get("examples", [])), None),
                }
            )
    return routes


def _body(document: dict[str, Any], operation: dict[str, Any]) -> dict[str, Any]:
    for content in operation.get("requestBody", {}).get("content", {}).values():
        schema = content["schema"]
        reference = schema.get("$ref") or next((one["$ref"] for one in schema.get("anyOf", []) if "$ref" in one), "")
        found: dict[str, Any] = document["components"]["schemas"].get(reference.rsplit("/", 1)[-1], {})
        return found
    return {}
