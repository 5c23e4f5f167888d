"""The four tools: what a model is told about them, and what they do. A tool's failure is an answer that the model can read and mend."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from mcp_types import CallToolResult, TextContent, Tool, ToolAnnotations
from pydantic import BaseModel, ValidationError

from schemas.errors import LaomaError
from schemas.mcp_tools import ForgetArguments, Forgotten, ListArguments, RecallArguments, RememberArguments, ToolMemories, ToolMemory
from schemas.memory_api import MemoryIn, MemoryView
from schemas.recall import Recalled, RecallRequest
from serve.mcp.memory import UserMemory


async def recall(memory: UserMemory, arguments: RecallArguments) -> ToolMemories:
    """What is remembered about a question, best first."""
    found = await memory.recall(RecallRequest(query=arguments.query, limit=arguments.limit))
    return ToolMemories(memories=[_recalled(one) for one in found.memories])


async def remember(memory: UserMemory, arguments: RememberArguments) -> ToolMemory:
    """Keep a statement; the same one again confirms it."""
    return _listed(await memory.remember(MemoryIn(text=arguments.text, kind=arguments.kind)))


async def forget(memory: UserMemory, arguments: ForgetArguments) -> Forgotten:
    """Delete a memory for good."""
    text = (await memory.get(arguments.id)).memory.text
    await memory.forget(arguments.id)
    return Forgotten(id=arguments.id, text=text)


async def list_memories(memory: UserMemory, arguments: ListArguments) -> ToolMemories:
    """What is remembered, latest change first."""
    page = await memory.list(arguments)
    return ToolMemories(memories=[_listed(one) for one in page.data], next_cursor=page.next_cursor)


def _recalled(memory: Recalled) -> ToolMemory:
    return ToolMemory.model_validate({**memory.model_dump(include=_SHOWN), "confidence": memory.parts.confidence})


def _listed(memory: MemoryView) -> ToolMemory:
    return ToolMemory.model_validate(memory.model_dump(include=_SHOWN))


_SHOWN = set(ToolMemory.model_fields)


@dataclass(frozen=True)
class MemoryTool:
    """A tool: ``run`` takes the user's memory and the validated ``arguments``; ``description`` is read by models, in both languages."""

    run: Callable[[UserMemory, Any], Awaitable[BaseModel]]
    arguments: type[BaseModel]
    answer: type[BaseModel]
    title: str
    description: str
    hints: ToolAnnotations

    @property
    def name(self) -> str:
        """The tool's name in the protocol."""
        return self.run.__name__

    def declared(self) -> Tool:
        """The tool as a client lists it."""
        return Tool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=self.arguments.model_json_schema(),
            output_schema=self.answer.model_json_schema(mode="serialization"),
            annotations=self.hints,
        )

    async def call(self, memory: UserMemory, arguments: dict[str, Any]) -> CallToolResult:
        """The tool's answer as text and structure; a wrong argument or a failure of ours as an error that says what to do."""
        try:
            answer = await self.run(memory, self.arguments.model_validate(arguments))
        except ValidationError as error:
            first = error.errors()[0]
            return refusal(f"{'.'.join(map(str, first['loc'])) or 'arguments'}: {first['msg']}")
        except LaomaError as error:
            return refusal(error.message)
        text = answer.model_dump_json(exclude_none=True)
        return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=answer.model_dump(mode="json"))


def refusal(message: str) -> CallToolResult:
    """An answer that says what went wrong."""
    return CallToolResult(content=[TextContent(type="text", text=message)], is_error=True)


_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_DELETES = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)

TOOLS = {
    tool.name: tool
    for tool in (
        MemoryTool(
            recall,
            RecallArguments,
            ToolMemories,
            "Recall",
            "What is remembered about the user that answers a question: facts, preferences, people, plans. Ask before you answer "
            "anything that depends on who the user is. Nothing relevant: an empty list. 回想与问题有关的用户记忆。",
            _READS,
        ),
        MemoryTool(
            remember,
            RememberArguments,
            ToolMemory,
            "Remember",
            "Keep one lasting statement about the user (a preference, a fact, a plan), in their own words. Not for small talk, one-off "
            "tasks, or what you said yourself. Secrets are refused. 记住一句关于用户的、长期有效的话。",
            _WRITES,
        ),
        MemoryTool(
            forget,
            ForgetArguments,
            Forgotten,
            "Forget",
            "Delete one memory for good, when the user asks for it. 用户要求时，永久删除一条记忆。",
            _DELETES,
        ),
        MemoryTool(
            list_memories,
            ListArguments,
            ToolMemories,
            "List memories",
            "What is remembered about the user, latest change first; to show it, or to find an id. 列出关于用户的记忆。",
            _READS,
        ),
    )
}
