"""A small application in the shape of the real one: an entrance and one hop behind it."""

from __future__ import annotations

import os
from pathlib import Path

from fastapi import FastAPI
from ray import serve

from schemas.settings import Settings
from serve.entrance import Entrance

_OPTIONS = {"ray_actor_options": {"num_cpus": 0.1}, "max_ongoing_requests": 100, "health_check_period_s": 1}


@serve.deployment(**_OPTIONS)
class Behind:
    async def greet(self) -> str:
        return "hello"


@serve.deployment(**_OPTIONS)
class Front:
    async def __init__(self, host: str, port: int, behind: serve.handle.DeploymentHandle) -> None:
        api = FastAPI()
        self._entrance = Entrance(api, host, port)

        @api.get("/healthz")
        async def healthz() -> dict[str, int]:
            return {"pid": os.getpid()}

        @api.get("/greeting")
        async def greeting() -> str:
            return await behind.greet.remote()

        await self._entrance.open()

    async def check_health(self) -> None:
        self._entrance.require_open()

    async def __del__(self) -> None:
        await self._entrance.close()


@serve.deployment(ray_actor_options={"num_cpus": 0.1})
class Broken:
    def __init__(self) -> None:
        raise RuntimeError("the cellar is flooded")


def build(home: Path, settings: Settings) -> serve.Application:
    return Front.bind(settings.http.host, settings.http.port, Behind.bind())


def build_broken(home: Path, settings: Settings) -> serve.Application:
    return Broken.bind()
