"""Signing in to the panel, and what guards it."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest

from serve.panel import words
from serve.panel.render import FOLDER, PAGES
from tests.serve.house import House
from tests.serve.panel.visit import send, sign_in, token


async def test_a_link_signs_in_once_by_a_cookie_that_scripts_do_not_see(house: House) -> None:
    link = (await house.as_("alice").post("/v1/panel/links")).json()["url"]
    assert link.startswith(f"{house.url}/panel/enter#")
    code = link.split("#")[1]
    async with httpx.AsyncClient(base_url=house.url) as browser:
        first = await browser.post("/panel/enter", data={"code": code})
        assert (first.status_code, first.headers["location"]) == (303, "/panel")
        cookie = first.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=lax" in cookie
        assert (await browser.get("/panel")).status_code == 200
    async with httpx.AsyncClient(base_url=house.url) as other:
        again = await other.post("/panel/enter", data={"code": code})
        assert again.status_code == 403
        assert "set-cookie" not in again.headers


async def test_behind_a_proxy_with_tls_the_link_leads_there_and_the_cookie_is_secure(house: House) -> None:
    proxied = {"Host": "laoma.example.org", "X-Forwarded-Proto": "https", "Origin": "https://laoma.example.org"}
    link = (await house.as_("alice").post("/v1/panel/links", headers=proxied)).json()["url"]
    assert link.startswith("https://laoma.example.org/panel/enter#")
    async with httpx.AsyncClient(base_url=house.url) as browser:
        entered = await browser.post("/panel/enter", data={"code": link.split("#")[1]}, headers=proxied)
    assert (entered.status_code, "Secure" in entered.headers["set-cookie"]) == (303, True)


async def test_a_link_is_worthless_after_its_time(house: House) -> None:
    code = (await house.as_("alice").post("/v1/panel/links")).json()["url"].split("#")[1]
    house.clock.pass_(minutes=11)
    async with httpx.AsyncClient(base_url=house.url) as browser:
        assert (await browser.post("/panel/enter", data={"code": code})).status_code == 403


@pytest.mark.parametrize("path", [f"/panel/{path}".rstrip("/") for path, _ in PAGES])
async def test_without_a_session_every_page_leads_to_the_entry(house: House, path: str) -> None:
    for cookie in ("", "x.y.z"):
        async with httpx.AsyncClient(base_url=house.url, cookies={"laoma_panel": cookie}) as browser:
            answer = await browser.get(path)
            assert (answer.status_code, answer.headers["location"]) == (303, "/panel/enter")


async def test_a_revoked_key_ends_its_sessions(house: House) -> None:
    client = await sign_in(house, "alice")
    house.keys.revoke(house.keys.entries()[-1].id)
    assert (await client.get("/panel")).status_code == 303


async def test_signing_out_forgets_the_cookie(house: House) -> None:
    client = await sign_in(house, "alice")
    await send(client, "/panel/leave")
    assert (await client.get("/panel")).status_code == 303


async def test_no_act_without_the_token_of_the_page_or_from_another_site(house: House) -> None:
    alice, bob = await sign_in(house, "alice"), await sign_in(house, "bob")
    foreign = await token(bob)
    mine = await token(alice)
    for fields in ({}, {"csrf": "guess"}, {"csrf": foreign}):
        answer = await alice.post("/panel/memories", data={"text": "我喜欢茶", **fields})
        assert answer.status_code == 403, fields
    for headers in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}):
        assert (await alice.post("/panel/memories", data={"text": "我喜欢茶", "csrf": mine}, headers=headers)).status_code == 403
    assert (await alice.post("/panel/chat", json={"text": "hi"})).status_code == 403
    assert not await house.memories("alice")


async def test_the_language_leads_back_to_our_own_pages_only(house: House) -> None:
    client = await sign_in(house, "alice", language="zh-CN")
    assert "记忆" in (await client.get("/panel/memories")).text
    for back, to in (("memories", "/panel/memories"), ("//evil.example", "/panel"), ("https://evil.example", "/panel"), ("", "/panel")):
        answer = await client.post("/panel/language", data={"to": "en", "back": back})
        assert answer.headers["location"] == to
    assert "Memories" in (await client.get("/panel/memories")).text


async def test_pages_forbid_foreign_scripts_frames_and_caches(house: House) -> None:
    client = await sign_in(house, "alice")
    headers = (await client.get("/panel")).headers
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["cache-control"] == "no-store"
    assert (await client.get("/panel/static/panel.js")).status_code == 200
    assert (await client.get("/panel/static/../panel.py")).status_code == 404


async def test_an_end_user_of_a_delegating_key_has_no_panel(house: House) -> None:
    answer = await house.as_("shop", ["user", "delegate"]).post("/v1/panel/links", headers={"X-Laoma-User": "ann"})
    assert answer.status_code == 403


def test_every_word_of_the_templates_has_its_chinese() -> None:
    said = set()
    for template in (FOLDER / "templates").glob("*.html"):
        said |= set(re.findall(r"""\bt\(["']([^"']+)["']""", template.read_text(encoding="utf-8")))
    assert len(said) > 80
    assert not said - set(words.chinese())


def test_templates_carry_no_script_and_no_style_of_their_own() -> None:
    for template in (Path(FOLDER) / "templates").glob("*.html"):
        text = template.read_text(encoding="utf-8")
        assert "|safe" not in text.replace(" ", ""), template.name
        assert not re.search(r"\son\w+=|style=|<script>|https?://", text), template.name
