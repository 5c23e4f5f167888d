"""The backlog: users take turns, a failing one steps aside, and who waits is told."""

from __future__ import annotations

import asyncio

import pytest

from serve.shard.backlog import Backlog


class Watch:
    def __init__(self) -> None:
        self.at = 0.0

    def __call__(self) -> float:
        return self.at


async def test_users_take_turns_and_keep_their_own_order() -> None:
    backlog = Backlog()
    for user, id in (("a", "1"), ("a", "2"), ("a", "2"), ("b", "3")):
        backlog.add(user, id)
    seen = []
    while len(backlog):
        user = await backlog.next()
        (id,) = backlog.of(user, 1)
        seen.append(user + id)
        backlog.done(user, [id])
    assert seen == ["a1", "b3", "a2"]


async def test_a_failing_user_steps_aside_for_pauses_that_grow() -> None:
    watch = Watch()
    backlog = Backlog(pause_s=1.0, longest_s=3.0, monotonic=watch)
    backlog.add("bad", "1")
    backlog.add("good", "2")
    assert await backlog.next() == "bad"
    backlog.failed("bad")
    assert [await backlog.next(), await backlog.next()] == ["good", "good"]
    backlog.done("good", ["2"])
    for pause in (1.0, 2.0, 3.0, 3.0):
        watch.at += pause - 0.001
        assert backlog._lines["bad"].resumes > watch.at
        watch.at += 0.001
        assert await backlog.next() == "bad"
        backlog.failed("bad")
    assert backlog.aside() == 1


async def test_what_arrives_while_one_is_set_aside_is_worked_on_at_once() -> None:
    backlog = Backlog(pause_s=1000.0)
    backlog.add("bad", "1")
    backlog.failed("bad")
    following = asyncio.create_task(backlog.next())
    await asyncio.sleep(0)
    backlog.add("good", "2")
    assert await following == "good"


async def test_nobody_waits_for_long_for_a_user_that_keeps_failing() -> None:
    backlog = Backlog()
    backlog.add("bad", "1")
    waiting = [asyncio.create_task(backlog.finished(["1"])), asyncio.create_task(backlog.empty("bad"))]
    backlog.failed("bad")
    backlog.failed("bad")
    await asyncio.sleep(0)
    assert not any(task.done() for task in waiting)
    backlog.failed("bad")
    await asyncio.gather(*waiting)
    assert "1" in backlog


async def test_a_failing_head_can_go_behind_the_rest() -> None:
    backlog = Backlog()
    for id in "123":
        backlog.add("a", id)
    backlog.failed("a", behind=["1"])
    assert backlog.of("a", 9) == ["2", "3", "1"]


@pytest.mark.parametrize("failures", [40, 2000])
async def test_many_failures_leave_the_pause_bounded(failures: int) -> None:
    watch = Watch()
    backlog = Backlog(pause_s=0.5, longest_s=60.0, monotonic=watch)
    backlog.add("a", "1")
    for _ in range(failures):
        backlog.failed("a")
    assert backlog._lines["a"].resumes == 60.0
