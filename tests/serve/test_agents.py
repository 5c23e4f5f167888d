"""The programs of docs/agents.md, run as they stand there against a house; only the agent's own model is scripted."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tests.scripted_model import ScriptedModel
from tests.serve.house import House

PAGE = (Path(__file__).parents[2] / "docs" / "agents.md").read_text(encoding="utf-8")
PLAIN, SDK = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


class AgentsModel(ScriptedModel):
    """Calls ``recall`` once, then answers with what the tool said."""

    async def _chat(self, request: Request) -> Response:
        body = json.loads(await request.body())
        self.bodies.append(body)
        told = [message["content"] for message in body["messages"] if message["role"] == "tool"]
        message: dict[str, Any] = {"role": "assistant", "content": f"No peanuts tonight. {told[-1]}" if told else None}
        if not told:
            call = {"name": "recall", "arguments": json.dumps({"query": "allergies, peanuts"})}
            message["tool_calls"] = [{"id": "t1", "type": "function", "function": call}]
        choice = {"index": 0, "message": message, "finish_reason": "stop" if told else "tool_calls"}
        return JSONResponse({"id": "c1", "object": "chat.completion", "created": 1, "model": "any", "choices": [choice]})


async def run(program: str, house: House, **more: str) -> str:
    """What it prints; the key is a delegating one."""
    env = {**os.environ, "LAOMA_URL": house.url, "LAOMA_KEY": house.key("shop", ["user", "delegate"]), **more}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, env=env, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, trouble = await asyncio.wait_for(process.communicate(), 120)
    assert process.returncode == 0, trouble.decode()
    return out.decode()


async def test_the_plain_program_keeps_each_end_users_memory_apart(house: House) -> None:
    ann, ben = (await run(PLAIN, house)).split("ben:")
    assert "allergic to peanuts" in ann
    assert "peanut butter" in ben
    assert "allergic" not in ben
    assert await house.memories("shop") == []


async def test_the_agents_sdk_finds_the_memory_as_tools_of_one_end_user(house: House) -> None:
    await run(PLAIN, house)
    async with AgentsModel().serve() as model:
        said = await run(SDK, house, MODEL_URL=model.url)
    tools = {tool["function"]["name"] for tool in model.bodies[0]["tools"]}
    assert {"recall", "remember", "forget", "list_memories"} <= tools
    assert said.startswith("No peanuts tonight.")
    assert "allergic to peanuts" in said
    assert "peanut butter" not in said
