"""mcp: the memory tools over stdio, for clients that start their tools themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from commands.place import here

if TYPE_CHECKING:
    from commands.client import Service
    from schemas.mcp_tools import ListArguments
    from schemas.memory_api import MemoryDetail, MemoryIn, MemoryPage, MemoryView
    from schemas.recall import RecallRequest, RecallResponse


def mcp() -> None:
    """Serve the memory tools over stdio (MCP) · 通过 stdio 提供记忆工具

    recall, remember, forget, list_memories. laoma must be running; over HTTP the same tools are at /mcp.

    \b
    Example, in the configuration of a client:
      {"mcpServers": {"laoma": {"command": "laoma", "args": ["mcp"]}}}
    """
    import asyncio

    service = here().service()
    service.get("/healthz")  # a service that is not there is said at once, in one line
    asyncio.run(_serve(service))


async def _serve(service: Service) -> None:
    from mcp.server.stdio import stdio_server

    from serve.mcp.server import build_server

    memory = RestMemory(service)
    server = build_server(lambda _: memory)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


class RestMemory:
    """One user's memory over HTTP: the key decides whose (see ``serve.mcp.memory.UserMemory``)."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def recall(self, request: RecallRequest) -> RecallResponse:
        """What is relevant, best first."""
        from schemas.recall import RecallResponse

        return RecallResponse.model_validate(await self._ask("POST", "/v1/recall", json=request.model_dump(mode="json", exclude_none=True)))

    async def remember(self, body: MemoryIn) -> MemoryView:
        """The memory that now holds the statement."""
        from schemas.memory_api import MemoryView

        return MemoryView.model_validate(await self._ask("POST", "/v1/memories", json=body.model_dump(mode="json", exclude_none=True)))

    async def get(self, id: str) -> MemoryDetail:
        """One memory."""
        from schemas.memory_api import MemoryDetail

        return MemoryDetail.model_validate(await self._ask("GET", _path(id)))

    async def forget(self, id: str) -> None:
        """Deletes it for good."""
        await self._ask("DELETE", _path(id))

    async def list(self, filters: ListArguments) -> MemoryPage:
        """A page, latest change first."""
        from schemas.memory_api import MemoryPage

        params = {"q": filters.words, "kind": filters.kind, "limit": filters.limit, "cursor": filters.cursor}
        given = {name: value for name, value in params.items() if value is not None}
        return MemoryPage.model_validate(await self._ask("GET", "/v1/memories", params=given))

    async def _ask(self, method: str, path: str, **options: Any) -> Any:
        import asyncio

        return await asyncio.to_thread(self._service.request, method, path, **options)


def _path(id: str) -> str:
    return f"/v1/memories/{quote(id, safe='')}"
