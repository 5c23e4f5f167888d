"""The schedule: what is due is run once, one at a time, first things first; also after the box was off."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from schemas.errors import NotFound, SettingsError
from schemas.job import JOBS, Job, JobIn, JobKind
from schemas.settings import parse_settings
from serve.schedule import Schedule
from serve.scheduler import Scheduler

MONDAY = datetime(2026, 3, 2, 1, 0, tzinfo=UTC)  # 09:00 in Shanghai


class Board:
    """Jobs that run until the test ends them."""

    def __init__(self) -> None:
        self.jobs: dict[str, Job] = {}

    async def submit(self, job: JobIn, *, id: str | None = None, due: datetime | None = None) -> Job:
        id = id or f"hand-{len(self.jobs)}"
        return self.jobs.setdefault(id, Job(id=id, name=job.name, state="running", due=due))

    async def list(self) -> list[Job]:
        return list(self.jobs.values())

    async def get(self, id: str) -> Job:
        return self.jobs[id]

    async def stop(self, id: str) -> Job:
        return self.end(id, "stopped")

    async def logs(self, id: str) -> object:
        raise NotFound("none")

    def end(self, id: str, state: str = "succeeded", *, by_itself: bool = True) -> Job:
        ended = MONDAY if by_itself else None
        self.jobs[id] = self.jobs[id].model_copy(update={"state": state, "ended_at": ended})
        return self.jobs[id]


class World:
    def __init__(self, home: Path, board: Board, config: str = "") -> None:
        self.at, self.home, self.board = MONDAY, home, board
        self.schedule = Schedule(home, parse_settings(config))
        self.scheduler = Scheduler(self.schedule, board, lambda: self.at, home)  # type: ignore[arg-type]

    async def names(self, **passed: float) -> list[str]:
        """What is started while time passes, each ended as soon as it was started."""
        self.at += timedelta(**passed)
        started = []
        while (job := await self.scheduler.step()) is not None:
            started.append(job.name)
            self.board.end(job.id)
        return started


@pytest.fixture
def board(monkeypatch: pytest.MonkeyPatch) -> Board:
    for name in list(JOBS):
        monkeypatch.delitem(JOBS, name)
    for name, cron, priority in (("review", "0 3 * * sun", 30), ("seal", "0 4 * * *", 20), ("decay", "0 0 * * *", 10), ("count", None, 0)):
        monkeypatch.setitem(JOBS, name, JobKind(module="x", english="", chinese="", cron=cron, priority=priority))
    return Board()


async def test_a_new_lake_catches_nothing_up(tmp_path: Path, board: Board) -> None:
    assert await World(tmp_path, board).names() == []


async def test_each_runs_in_its_time(tmp_path: Path, board: Board) -> None:
    world = World(tmp_path, board)
    assert await world.names() == []
    assert await world.names(hours=14) == []  # Monday 23:00
    assert await world.names(hours=1) == ["decay"]  # midnight
    assert await world.names(minutes=5) == []
    assert await world.names(hours=4) == ["seal"]


async def test_what_was_missed_is_run_once_by_priority(tmp_path: Path, board: Board) -> None:
    await World(tmp_path, board).names()
    later = World(tmp_path, board)  # the box was off for three weeks
    assert await later.names(days=21) == ["review", "seal", "decay"]
    assert await later.names(minutes=1) == []


async def test_one_at_a_time(tmp_path: Path, board: Board) -> None:
    world = World(tmp_path, board)
    await world.names()
    world.at += timedelta(days=1)
    first = await world.scheduler.step()
    assert first is not None
    assert first.name == "seal"
    assert await world.scheduler.step() is None
    board.end(first.id, "failed")
    assert await world.names() == ["decay"]


async def test_a_job_that_a_person_started_is_waited_for(tmp_path: Path, board: Board) -> None:
    world = World(tmp_path, board)
    await world.names()
    mine = await board.submit(JobIn(name="seal"))
    assert await world.names(days=1) == ["decay"]
    board.end(mine.id)
    assert await world.names() == ["seal"]


async def test_a_run_that_the_clusters_end_broke_off_is_started_again(tmp_path: Path, board: Board) -> None:
    world = World(tmp_path, board)
    await world.names()
    world.at += timedelta(hours=19, minutes=5)
    ids = []
    for _ in range(3):
        job = await world.scheduler.step()
        job = job or next(one for one in board.jobs.values() if not one.ended)
        ids.append(job.id)
        board.end(job.id, "stopped", by_itself=False)
    assert len(set(ids)) == 3
    assert await world.names() == ["decay"]  # after three attempts the others go on
    assert await world.names(minutes=5) == []


async def test_killed_between_submitting_and_writing_it_down_nothing_runs_twice(tmp_path: Path, board: Board) -> None:
    world = World(tmp_path, board)
    await world.names()
    world.at += timedelta(hours=15)
    before = (tmp_path / "jobs" / "schedule.json").read_bytes()
    job = await world.scheduler.step()
    assert job is not None
    (tmp_path / "jobs" / "schedule.json").write_bytes(before)
    again = await world.scheduler.step()
    assert again is None  # it is known to run
    assert len(board.jobs) == 1


async def test_paused_jobs_wait_and_are_caught_up_once(tmp_path: Path, board: Board) -> None:
    world = World(tmp_path, board)
    await world.names()
    world.schedule.pause("decay", True, world.at)
    assert await world.names(days=3) == ["seal"]
    world.schedule.pause(None, True, world.at)
    assert await world.names(days=1) == []
    world.schedule.pause(None, False, world.at)
    world.schedule.pause("decay", False, world.at)
    assert await world.names() == ["seal", "decay"]
    with pytest.raises(NotFound):
        world.schedule.pause("count", True, world.at)


async def test_the_view_tells_last_and_next_run(tmp_path: Path, board: Board) -> None:
    world = World(tmp_path, board)
    await world.names()
    assert await world.names(hours=15) == ["decay"]
    assert await world.names() == []
    view = world.schedule.view(board.jobs, world.at)
    assert [row.name for row in view.data] == ["seal", "decay", "review"]
    decay = view.data[1]
    midnight = datetime(2026, 3, 2, 16, tzinfo=UTC)
    assert (decay.last_due, decay.last_state, decay.next_due) == (midnight, "succeeded", midnight + timedelta(days=1))


async def test_config_yaml_changes_the_schedule(tmp_path: Path, board: Board) -> None:
    world = World(tmp_path, board, 'schedule: {decay: off, count: "30 9 * * *"}\nzone: Asia/Shanghai')
    await world.names()
    assert await world.names(minutes=31) == ["count"]
    assert await world.names(days=1) == ["seal", "count"]


@pytest.mark.parametrize("config", ["schedule: {dance: off}", 'schedule: {seal: "4 o\'clock"}', 'schedule: {seal: "0 0 4 * * *"}'])
def test_a_schedule_that_is_not_understood_is_an_error(config: str) -> None:
    with pytest.raises(SettingsError, match="schedule"):
        parse_settings(config)
