"""A call whose answer was lost is made again only where twice is the same as once."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from schemas.errors import Fenced, Unavailable
from schemas.memory_api import MemoryIn, MemoryPatch
from serve.absence import Absence
from serve.shard.once import ONCE
from serve.shard.service import ShardService
from serve.shards import RemoteShards
from tests.serve.house import House

SAFE = {"ingest", "open_exchange", "close_exchange", "abandon_exchange", "feedback", "give_consent", "close_conversation"}
"""Those that write and may be called twice: the same ids, or the same state, come of it."""


class Breaking:
    """A handle to a real shard, whose answers get lost ``lost`` times after the call was carried out."""

    deployment_name = "MemoryShard-0"

    def __init__(self, service: ShardService, lost: int, before: list[Fenced] | None = None) -> None:
        self._service, self._lost, self._before = service, lost, before or []
        self.perform = SimpleNamespace(remote=self._remote)
        self.carried_out = 0

    async def _remote(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> object:
        if self._before:
            return self._before.pop()
        answer = await getattr(self._service, name)(*args, **kwargs)
        self.carried_out += 1
        if self._lost:
            self._lost -= 1
            raise ConnectionResetError("the replica died")
        return answer


def shards(handle: Any) -> RemoteShards:
    states: dict[str, str | None] = {handle.deployment_name: None}
    return RemoteShards([handle], lambda _user, _count: 0, absence=Absence(lambda: states))


async def test_a_correction_whose_answer_was_lost_is_not_applied_twice(house: House) -> None:
    id = (await house.tell("ming", "我喜欢喝乌龙茶。"))["memories"][0]
    handle = Breaking(house.service, lost=1)
    with pytest.raises(Unavailable, match="look whether it is done") as caught:
        await shards(handle).call(ShardService.edit_memory, "ming", id, MemoryPatch(text="我喜欢喝红茶"), None)
    assert (caught.value.code, handle.carried_out) == ("outcome_unknown", 1)
    assert (await house.memories("ming"))[0]["version"] == 2


async def test_a_statement_handed_over_is_confirmed_once(house: House) -> None:
    handle = Breaking(house.service, lost=1)
    with pytest.raises(Unavailable):
        await shards(handle).call(ShardService.remember, "ming", MemoryIn(text="我喜欢喝乌龙茶"))
    assert handle.carried_out == 1
    assert (await house.memories("ming"))[0]["confirmations"] == 0


async def test_what_was_certainly_not_carried_out_is_called_again(house: House) -> None:
    handle = Breaking(house.service, lost=0, before=[Fenced("another replica owns this shard")])
    await shards(handle).call(ShardService.remember, "ming", MemoryIn(text="我喜欢喝乌龙茶"))
    assert handle.carried_out == 1


async def test_what_only_reads_is_called_again(house: House) -> None:
    handle = Breaking(house.service, lost=1)
    await shards(handle).call(ShardService.profile, "ming")
    assert handle.carried_out == 2


def test_every_writing_method_behind_a_route_is_known_for_what_a_second_call_does() -> None:
    serve = Path(inspect.getfile(ShardService)).parent.parent
    called = {name for path in (serve / "routes").glob("*.py") for name in re.findall(r"ShardService\.(\w+)", path.read_text())}
    methods = re.split(r"\n    async def ", inspect.getsource(ShardService))[1:]
    writing = {name for method in methods if "lock" in method and (name := method.split("(")[0]) in called}
    assert {"edit_memory", "ingest"} <= writing
    assert writing <= ONCE | SAFE
    assert not ONCE & SAFE
    assert {name for name, _ in inspect.getmembers(ShardService, inspect.iscoroutinefunction)} >= ONCE
