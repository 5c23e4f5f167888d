"""docs/http.md names every route that there is, and none that there is not."""

from __future__ import annotations

import re
from pathlib import Path

from tests.serve.house import House

PAGE = (Path(__file__).parents[2] / "docs" / "http.md").read_text(encoding="utf-8")
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def plain(path: str) -> str:
    return re.sub(r"\{[^}]*\}", "{}", path.split("?")[0])


def named() -> set[tuple[str, str]]:
    """(method, path) as the page writes them: `GET`/`DELETE /v1/x`, `GET /v1/x`."""
    found: set[tuple[str, str]] = set()
    for methods, path in re.findall(r"((?:`?(?:GET|POST|PUT|PATCH|DELETE)`?/)*`?(?:GET|POST|PUT|PATCH|DELETE)) (/[\w/{}.-]*)", PAGE):
        found |= {(method, plain(path)) for method in re.findall("[A-Z]+", methods)}
    return found


async def there(house: House) -> set[tuple[str, str]]:
    paths = (await house.as_("alice").get("/openapi.json")).json()["paths"]
    return {(method.upper(), plain(path)) for path, methods in paths.items() for method in methods}


async def test_every_route_of_the_openapi_document_stands_on_the_page(house: House) -> None:
    assert await there(house) - named() == set()


async def test_every_route_on_the_page_is_there(house: House) -> None:
    assert named() - await there(house) - {("POST", "/mcp")} == set()
