"""A scripted service: the routes that the command line speaks to, with the real bodies' shapes, and a record of what it was asked."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse

from schemas.conversation import Conversation
from schemas.dialogue import ConversationPage
from schemas.job import Job, Scheduled, ScheduleView
from schemas.memory_api import MemoryDetail, MemoryPage, MemoryView, ProfileView
from schemas.recall import FoundTurn, Parts, Recalled, RecallResponse, TurnSearchResponse

AT = "2025-11-30T12:00:00Z"
KEY = "laoma-test"


@dataclass
class Script:
    """What the service holds and says; ``asked`` records method, path, headers and body of each request."""

    memories: dict[str, str] = field(default_factory=dict)
    typed: set[str] = field(default_factory=set)
    conversations: list[str] = field(default_factory=list)
    consents: list[str] = field(default_factory=list)
    reply: list[str] = field(default_factory=lambda: ["无糖", "豆浆。"])
    recalled: list[str] = field(default_factory=list)
    loading: int = 0
    model_state: str = "loading"
    endless: bool = False
    chat_error: str | None = None
    paused: bool = False
    gated: dict[str, Any] = field(default_factory=dict)
    job_states: list[str] = field(default_factory=lambda: ["succeeded"])
    hung_up: threading.Event = field(default_factory=threading.Event)
    asked: list[tuple[str, str, dict[str, str], Any]] = field(default_factory=list)
    address: str = ""

    def bodies(self, method: str, path: str) -> list[Any]:
        """Bodies of the requests to one route, in order."""
        return [body for asked_method, asked_path, _, body in self.asked if (asked_method, asked_path) == (method, path)]


@contextmanager
def served(script: Script) -> Iterator[Script]:
    """The scripted service on a free port of loopback, while the block runs."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        script.address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        server = uvicorn.Server(uvicorn.Config(_app(script), log_level="error", lifespan="off", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        listener.listen()
        thread.start()
        try:
            yield script
        finally:
            server.should_exit = True
            thread.join(10)


def view(id: str, text: str) -> MemoryView:
    """A memory as the service shows it."""
    return MemoryView.model_validate(
        dict.fromkeys(MemoryView.model_fields)
        | {
            "id": id,
            "kind": "fact",
            "key": "事实",
            "scene": "通用",
            "subject": "user",
            "text": text,
            "source": "explicit",
            "confidence": 0.9,
        }
        | {"importance": 40, "priority": 0, "status": "active", "confirmations": 0, "version": 1, "turns": ["t1"]}
        | {"created_at": AT, "updated_at": AT, "access_count": 0}
    )


def _app(script: Script) -> FastAPI:
    app = FastAPI()

    @app.middleware("http")
    async def record(request: Request, call_next: Any) -> Response:
        raw = await request.body()
        script.asked.append((request.method, request.url.path, dict(request.headers), json.loads(raw) if raw else None))
        if request.url.path.startswith("/v1") and request.headers.get("authorization") != f"Bearer {KEY}":
            return _error(401, "That key is not known.", "invalid_api_key")
        answer: Response = await call_next(request)
        return answer

    @app.get("/readyz")
    def readyz() -> dict[str, Any]:
        return {"ready": True, "model": {"name": "pocket", "state": script.model_state, "detail": None}, "shards": [], "detail": None}

    @app.get("/v1/models")
    def models() -> dict[str, Any]:
        return {"data": [{"id": "laoma"}]}

    @app.post("/v1/chat/completions")
    async def chat(body: dict[str, Any]) -> Response:
        if script.loading:
            script.loading -= 1
            return _error(503, "The model is still loading.", "model_loading", {"Retry-After": "0"})
        if not body.get("stream"):
            return JSONResponse({"choices": [{"message": {"role": "assistant", "content": script.reply.pop(0)}}]})
        headers = {"X-Laoma-Turn": "turn-1", "X-Laoma-Recalled": ",".join(script.recalled)}
        return StreamingResponse(_events(script), media_type="text/event-stream", headers=headers)

    _memory_routes(app, script)
    _job_routes(app, script)
    return app


def _memory_routes(app: FastAPI, script: Script) -> None:
    @app.get("/v1/memories")
    def memories(limit: int = 50, cursor: str | None = None, q: str | None = None) -> Response:
        found = [view(id, text) for id, text in script.memories.items() if not q or q in text]
        start = int(cursor or 0)
        rest = str(start + limit) if start + limit < len(found) else None
        return _answer(MemoryPage(data=found[start : start + limit], next_cursor=rest))

    @app.post("/v1/memories", status_code=201)
    def remember(body: dict[str, Any]) -> Response:
        id = f"m{len(script.memories) + 1}"
        script.memories[id] = body["text"]
        return _answer(view(id, body["text"]))

    @app.get("/v1/memories/{id}")
    def memory(id: str) -> Response:
        if id not in script.memories:
            return _error(404, f"No memory {id!r}.", "not_found")
        change = {"id": "c1", "user": "owner", "memory": id, "at": AT, "action": "create", "after": script.memories[id]}
        turn = {"id": "t1", "user": "owner", "conversation": "c", "exchange": "e", "at": AT, "role": "user", "content": "我对花生过敏"}
        turns = [turn] if id not in script.typed else []
        detail = {"memory": view(id, script.memories[id]), "history": [change | {"reason": "said so", "actor": "rule"}], "turns": turns}
        return _answer(MemoryDetail.model_validate(detail))

    @app.patch("/v1/memories/{id}")
    def correct(id: str, body: dict[str, Any], request: Request) -> Response:
        if request.headers.get("if-match") != "1":
            return _error(409, "It has changed.", "version_conflict")
        script.memories[id] = body["text"]
        return _answer(view(id, body["text"]))

    @app.delete("/v1/memories/{id}")
    def forget(id: str) -> dict[str, Any]:
        del script.memories[id]
        return {"deleted": True, "count": 1}

    @app.post("/v1/recall")
    def recall(body: dict[str, Any]) -> Response:
        parts = Parts(semantic=0.9, recency=1.0, frequency=0.0, confidence=0.9)
        common = {"kind": "fact", "key": "事实", "scene": "通用", "subject": "user", "status": "active", "turns": ["t1"], "updated_at": AT}
        rows = [Recalled.model_validate(common | {"id": i, "text": t, "score": 0.83, "parts": parts}) for i, t in script.memories.items()]
        return _answer(RecallResponse(memories=rows[: body["limit"]], briefing="…"))

    @app.get("/v1/conversations")
    def conversations() -> Response:
        rows = [Conversation(id=id, user="owner", opened_at=AT, last_at=AT) for id in script.conversations]
        return _answer(ConversationPage(data=rows))

    @app.get("/v1/conversations/{id}")
    def conversation(id: str) -> dict[str, Any]:
        said = [{"role": "user", "content": "我叫林晚"}, {"role": "assistant", "content": "你好，林晚"}]
        return {"conversation": {"id": id}, "turns": [turn | {"speaker": None, "at": AT} for turn in said]}

    @app.delete("/v1/conversations/{id}")
    def delete_conversation(id: str) -> dict[str, Any]:
        script.conversations.remove(id)
        return {"deleted": True, "count": 2}

    @app.post("/v1/turns/search")
    def search(body: dict[str, Any]) -> Response:
        found = {"id": "t1", "conversation_id": "c", "role": "user", "speaker": None, "content": "我对花生过敏", "at": AT, "score": 0.71}
        turns = [FoundTurn.model_validate(found)] if "花生" in body["query"] else []
        return _answer(TurnSearchResponse(turns=turns, complete="还" not in body["query"]))

    @app.get("/v1/revisions")
    def revisions() -> dict[str, Any]:
        row = {"id": "0198c2aa", "state": "proposed", "gate": "untried", "cases": [], "reason": "", "policy": None, "updated_at": AT}
        looked = sum(path == "/v1/revisions" for _, path, _, _ in script.asked)
        return {"data": [row | (script.gated if looked > 2 else {})]}

    @app.get("/v1/revisions/{id}")
    def revision(id: str) -> dict[str, Any]:
        blank = dict.fromkeys(("scope", "zone", "risk", "nearest", "closeness", "fault", "replacement"), "")
        return {"revision": blank | revisions()["data"][0], "diff": ["  日期写成年月日。", "+ 先说结论。"]}

    @app.post("/v1/revisions/{id}/test", status_code=202)
    def test(id: str) -> dict[str, Any]:
        return {"revision": revisions()["data"][0], "job": "gate-1"}

    @app.get("/v1/consents")
    def consents() -> Response:
        return JSONResponse([{"id": id, "given_at": "2026-03-02T01:00:00Z"} for id in script.consents])

    @app.put("/v1/consents")
    def consent(body: dict[str, Any]) -> dict[str, Any]:
        script.consents.append(body["category"])
        return {"id": body["category"], "given_at": "2026-03-02T01:00:00Z"}

    @app.delete("/v1/consents")
    def withdraw(category: str) -> dict[str, Any]:
        script.consents.remove(category)
        return {"deleted": True, "count": 1}

    @app.get("/v1/profile")
    def profile() -> Response:
        preference = {"id": "m1", "key": "饮食", "text": "早上喝无糖豆浆", "scene": "通用", "subject": "user", "source": "explicit"}
        behaviour = {"conversations": 3, "mean_exchanges": 4.5, "preferred_hours": [7, 22], "thumbs_up": 2, "thumbs_down": 1}
        shown = {"user": "owner", "attributes": {"名字": "林晚"}, "preferences": [preference | {"confidence": 0.9}], "behaviour": behaviour}
        return _answer(ProfileView.model_validate(shown))

    @app.post("/v1/conversations/{id}/close")
    def close(id: str) -> dict[str, Any]:
        return {}

    @app.get("/v1/export")
    def export() -> Response:
        return StreamingResponse(json.dumps({"text": t}, ensure_ascii=False) + "\n" for t in script.memories.values())


def _job_routes(app: FastAPI, script: Script) -> None:
    def job() -> Response:
        state = script.job_states[0] if len(script.job_states) == 1 else script.job_states.pop(0)
        report = {"columns": ["shard", "done"], "rows": [[0, "3 turns"]]} if state == "succeeded" else None
        return _answer(Job.model_validate({"id": "j1", "name": "seal", "state": state, "submitted_at": AT, "report": report}), 202)

    @app.post("/v1/jobs")
    def submit(body: dict[str, Any]) -> Response:
        if body["name"] != "seal":
            return _error(400, "No job of that name; there is: seal.", "invalid_request")
        return job()

    @app.get("/v1/jobs/{id}")
    def one(id: str) -> Response:
        return job()

    @app.get("/v1/jobs")
    def jobs() -> dict[str, Any]:
        return {"data": [json.loads(bytes(job().body))]}

    @app.post("/v1/jobs/{id}/stop")
    def stop(id: str) -> Response:
        return job()

    def schedule() -> Response:
        row = Scheduled(
            name="seal", cron="0 4 * * *", zone="Asia/Shanghai", priority=20, paused=script.paused,
            last_due=AT, last_job="j0", last_state="succeeded", next_due=None if script.paused else AT,
        )  # fmt: skip
        return _answer(ScheduleView(data=[row], paused=script.paused))

    @app.get("/v1/schedule")
    def view() -> Response:
        return schedule()

    @app.put("/v1/schedule")
    @app.put("/v1/schedule/{name}")
    def pause(body: dict[str, Any], name: str = "") -> Response:
        script.paused = body["paused"]
        return schedule()

    @app.get("/v1/jobs/{id}/logs")
    def logs(id: str) -> dict[str, Any]:
        return {"id": id, "text": "sealed 3 turns\n"}


async def _events(script: Script) -> Any:
    try:
        yield ": ping\n\n"
        yield 'data: {"choices":[]}\r\n\r\n'
        for piece in script.reply:
            yield f"data: {json.dumps({'choices': [{'index': 0, 'delta': {'content': piece}}]}, ensure_ascii=False)}\n\n"
        while script.endless:
            yield ": ping\n\n"
            await asyncio.sleep(0.02)
        if script.chat_error:
            yield f"data: {json.dumps({'error': {'message': script.chat_error, 'code': 'upstream_failed'}})}\n\n"
        yield "data: [DONE]\n\n"
    finally:
        script.hung_up.set()


def _answer(model: Any, status: int = 200) -> Response:
    return Response(model.model_dump_json(), status_code=status, media_type="application/json")


def _error(status: int, message: str, code: str, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse({"error": {"message": message, "type": "x", "code": code, "param": None}}, status, headers)
