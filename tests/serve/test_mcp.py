"""Memory over the Model Context Protocol, asked by the protocol's own client: streamable HTTP, and stdio through the command line."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult

from tests.serve.house import House

CHECKOUT = Path(__file__).resolve().parents[2]


@asynccontextmanager
async def over_http(house: House, key: str, **headers: str) -> AsyncIterator[Client]:
    given = {"Authorization": f"Bearer {key}", **headers}
    async with (
        httpx2.AsyncClient(headers=given, timeout=30) as http,
        Client(streamable_http_client(f"{house.url}/mcp", http_client=http)) as client,
    ):
        yield client


@asynccontextmanager
async def over_stdio(house: House, key: str) -> AsyncIterator[Client]:
    environment = {**os.environ, "LAOMA_URL": house.url, "LAOMA_KEY": key, "PYTHONPATH": str(CHECKOUT)}
    command = StdioServerParameters(command=sys.executable, args=[str(CHECKOUT / "laoma.py"), "mcp"], env=environment)
    async with Client(command) as client:
        yield client


def structure(result: CallToolResult) -> dict[str, Any]:
    assert not result.is_error, result.content
    return dict(result.structured_content)


def words(result: CallToolResult) -> str:
    return "".join(part.text for part in result.content if part.type == "text")


@pytest.mark.parametrize("transport", [over_http, over_stdio])
async def test_a_client_remembers_recalls_lists_and_forgets(house: House, transport: Any) -> None:
    async with transport(house, house.key("alice")) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"recall", "remember", "forget", "list_memories"}
        assert [name for name, tool in tools.items() if tool.annotations and tool.annotations.destructive_hint] == ["forget"]
        kept = structure(await client.call_tool("remember", {"text": "我对芒果过敏"}))
        assert kept["text"] == "我对芒果过敏"
        found = structure(await client.call_tool("recall", {"query": "我能吃芒果吗？"}))["memories"]
        assert [memory["text"] for memory in found] == ["我对芒果过敏"]
        listed = structure(await client.call_tool("list_memories", {"words": "芒果"}))
        assert [memory["id"] for memory in listed["memories"]] == [kept["id"]]
        gone = structure(await client.call_tool("forget", {"id": kept["id"]}))
        assert gone == {"id": kept["id"], "text": "我对芒果过敏"}
        assert structure(await client.call_tool("list_memories", {}))["memories"] == []
    assert await house.memories("alice") == []


@pytest.mark.parametrize("transport", [over_http, over_stdio])
async def test_what_goes_wrong_is_an_answer_that_a_model_can_read(house: House, transport: Any) -> None:
    async with transport(house, house.key("alice")) as client:
        for tool, arguments, hint in (
            ("remember", {}, "text"),
            ("remember", {"text": "喝茶", "kind": "mood"}, "kind"),
            ("recall", {"query": "茶", "limit": 1000}, "limit"),
            ("recall", {"query": "茶", "user": "bob"}, "user"),
            ("forget", {"id": "019a0000-0000-7000-8000-000000000000"}, "No such memory"),
            ("forget", {"id": "../me"}, ""),
            ("list_memories", {"cursor": "not a cursor"}, "cursor"),
        ):
            result = await client.call_tool(tool, arguments)
            assert result.is_error, (tool, arguments)
            assert hint.lower() in words(result).lower(), words(result)
            assert "Traceback" not in words(result)
        with pytest.raises(MCPError, match="No tool"):
            await client.call_tool("erase_everything", {})


async def test_the_key_decides_whose_memory_it_is(house: House) -> None:
    await house.tell("alice", "我喜欢喝乌龙茶。")
    async with over_http(house, house.key("bob")) as bob:
        assert structure(await bob.call_tool("list_memories", {}))["memories"] == []
        assert structure(await bob.call_tool("recall", {"query": "我喜欢喝什么？"}))["memories"] == []
        alices = (await house.memories("alice"))[0]["id"]
        assert (await bob.call_tool("forget", {"id": alices})).is_error
    assert len(await house.memories("alice")) == 1


async def test_a_delegating_key_names_its_end_user(house: House) -> None:
    key = house.key("agent", ["user", "delegate"])
    async with over_http(house, key, **{"X-Laoma-User": "e1"}) as client:
        structure(await client.call_tool("remember", {"text": "我住在苏州"}))
    async with over_http(house, key, **{"X-Laoma-User": "e2"}) as client:
        assert structure(await client.call_tool("list_memories", {}))["memories"] == []


@pytest.mark.parametrize("header", [{}, {"Authorization": "Bearer laoma-wrong"}, {"Authorization": "Basic eA=="}])
async def test_without_a_key_there_is_no_tool(house: House, header: dict[str, str]) -> None:
    async with httpx.AsyncClient(base_url=house.url, headers=header) as nobody:
        answer = await nobody.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        assert answer.status_code == 401
        assert answer.json()["error"]["code"] == "invalid_api_key"


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'{"jsonrpc": "2.0"}', b"\xff\xfe", b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":7}']
)
async def test_a_malformed_message_is_refused_and_the_next_one_answered(house: House, body: bytes) -> None:
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    answer = await house.as_("alice").post("/mcp", content=body, headers=headers)
    assert answer.status_code < 500, answer.text
    async with over_http(house, house.key("alice")) as client:
        assert len((await client.list_tools()).tools) == 4


async def test_a_secret_is_refused_in_words(house: House) -> None:
    async with over_http(house, house.key("alice")) as client:
        result = await client.call_tool("remember", {"text": "我的身份证号是11010519491231002X"})
        assert "11010519491231002X" not in words(result)
    assert all("1949" not in memory["text"] for memory in await house.memories("alice"))
