"""Every failure leaves the gateway in OpenAI's error shape, with the right status and one clear line."""

from __future__ import annotations

import logging
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from schemas.errors import LaomaError
from schemas.faults import words_of
from serve.unicode import whole

log = logging.getLogger("laoma.gateway")
_TYPES = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}


def error_response(error: LaomaError) -> JSONResponse:
    """The answer for an error of ours."""
    headers = {"Retry-After": str(error.retry_after)} if error.retry_after is not None else {}
    if error.status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
    return JSONResponse(error_body(error.message, error.type, error.code, error.param), error.status, headers)


def error_body(message: str, type: str, code: str | None, param: str | None = None) -> dict[str, dict[str, str | None]]:
    """OpenAI's envelope."""
    return {"error": {"message": whole(message), "type": type, "code": code, "param": param}}


def install(app: FastAPI) -> None:
    """Register the handlers."""

    @app.exception_handler(LaomaError)
    async def ours(_: Request, error: LaomaError) -> JSONResponse:
        return error_response(error)

    @app.exception_handler(RequestValidationError)
    async def malformed(request: Request, error: RequestValidationError) -> JSONResponse:
        message, where = _malformed(request, error)
        return JSONResponse(error_body(message, "invalid_request_error", "invalid_request", where), 400)

    @app.exception_handler(HTTPException)
    async def plain(request: Request, error: HTTPException) -> JSONResponse:
        kind = _TYPES.get(error.status_code, "invalid_request_error" if error.status_code < 500 else "server_error")
        code = HTTPStatus(error.status_code).phrase.lower().replace(" ", "_")
        return JSONResponse(error_body(_plain(request, error), kind, code), error.status_code, error.headers)

    @app.exception_handler(Exception)
    async def unexpected(request: Request, error: Exception) -> JSONResponse:
        log.exception("unexpected failure at %s %s", request.method, request.url.path, exc_info=error)
        return JSONResponse(error_body("Something went wrong inside; the log says what.", "server_error", "internal_error"), 500)


def _malformed(request: Request, error: RequestValidationError) -> tuple[str, str | None]:
    """(what is wrong and what to do, the field at fault)"""
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return _no_json(str(error.body), int(first["loc"][-1]), str(first.get("ctx", {}).get("error", ""))), None
    kind = request.headers.get("content-type", "")
    if first["loc"] == ("body",) and kind and "json" not in kind:
        return f"The body came as {kind[:60]}: send JSON, with the header `Content-Type: application/json`.", None
    if first["loc"] == ("body",) and first["type"] == "missing":
        return "The body is missing: send JSON; /docs shows an example.", None
    where = ".".join(str(part) for part in first["loc"] if part != "body") or None
    message = words_of(first)
    return (f"{where}: {message}; /docs shows an example." if where else f"The body: {message}; /docs shows an example."), where


def _no_json(body: str, place: int, why: str) -> str:
    if place >= len(body.rstrip()) or why.startswith("Unterminated"):
        return f"The body is no whole JSON: it breaks off at character {len(body)}. Was it cut short, or quoted wrongly by the shell?"
    return f"The body is no valid JSON at character {place + 1}, near {body[place : place + 20]!r}: {why}."


def _plain(request: Request, error: HTTPException) -> str:
    """Starlette's own bare words, with what to do next."""
    path = request.url.path[:100]
    if error.status_code == 404 and error.detail == "Not Found":
        return f"There is no {path} here: /docs lists what there is."
    if error.status_code == 405 and error.detail == "Method Not Allowed":
        allowed = (error.headers or {}).get("Allow") or (error.headers or {}).get("allow") or "another method"
        return f"{path} takes no {request.method}: use {allowed}."
    if error.status_code == 400 and "parsing the body" in str(error.detail):
        return "The body can't be read: send JSON in UTF-8."
    return str(error.detail)
