"""A browser without scripts: signs in by a link, follows redirects, sends forms with the page's token."""

from __future__ import annotations

import re

import httpx

from tests.serve.house import House


async def sign_in(house: House, user: str, roles: list[str] | None = None, language: str = "en") -> httpx.AsyncClient:
    """A client that is signed in as ``user``."""
    link = (await house.as_(user, roles).post("/v1/panel/links")).json()["url"]  # type: ignore[arg-type]
    client = httpx.AsyncClient(base_url=house.url, headers={"Accept-Language": language}, timeout=30)
    answer = await client.post("/panel/enter", data={"code": link.split("#")[1]})
    assert answer.status_code == 303, answer.text
    return client


async def send(client: httpx.AsyncClient, path: str, page: str = "/panel", **fields: str) -> httpx.Response:
    """Send a form as a page would; redirects are followed."""
    return await client.post(path, data={**fields, "csrf": await token(client, page)}, follow_redirects=True)


async def token(client: httpx.AsyncClient, page: str = "/panel") -> str:
    """The token that the forms of a page carry."""
    found = re.search(r'data-csrf="([^"]+)"', (await client.get(page)).text)
    assert found
    return found[1]
