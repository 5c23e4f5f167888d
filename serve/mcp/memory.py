"""The port of the MCP tools to one user's memory, and its form inside the gateway."""

from __future__ import annotations

from typing import Protocol

from schemas.mcp_tools import ListArguments
from schemas.memory_api import MemoryDetail, MemoryIn, MemoryPage, MemoryView
from schemas.recall import RecallRequest, RecallResponse
from serve.shard.service import ShardService
from serve.shards import Shards


class UserMemory(Protocol):
    """One user's memory. Every method raises LaomaError with a line that says what to do."""

    async def recall(self, request: RecallRequest) -> RecallResponse:
        """What is relevant, best first; none when nothing is."""
        ...

    async def remember(self, body: MemoryIn) -> MemoryView:
        """The memory that now holds the statement."""
        ...

    async def get(self, id: str) -> MemoryDetail:
        """One memory. Raises NotFound."""
        ...

    async def forget(self, id: str) -> None:
        """Deletes it for good. Raises NotFound."""
        ...

    async def list(self, filters: ListArguments) -> MemoryPage:
        """A page, latest change first."""
        ...


class ShardMemory:
    """The memory of ``user`` on the shards of this gateway."""

    def __init__(self, shards: Shards, user: str) -> None:
        self._shards = shards
        self._user = user

    async def recall(self, request: RecallRequest) -> RecallResponse:
        """See :class:`UserMemory`."""
        return await self._shards.call(ShardService.recall, self._user, request)

    async def remember(self, body: MemoryIn) -> MemoryView:
        """See :class:`UserMemory`."""
        return await self._shards.call(ShardService.remember, self._user, body)

    async def get(self, id: str) -> MemoryDetail:
        """See :class:`UserMemory`."""
        return await self._shards.call(ShardService.memory, self._user, id)

    async def forget(self, id: str) -> None:
        """See :class:`UserMemory`."""
        await self._shards.call(ShardService.delete_memory, self._user, id, None)

    async def list(self, filters: ListArguments) -> MemoryPage:
        """See :class:`UserMemory`."""
        return await self._shards.call(ShardService.memories, self._user, filters.words, filters.kind, None, filters.limit, filters.cursor)
