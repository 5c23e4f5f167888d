"""Every failure leaves the gateway in OpenAI's error shape, with the right status and one clear line."""

from __future__ import annotations

import logging
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from schemas.errors import LaomaError
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
    async def malformed(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if part != "body") or None
        message = str(first["msg"])[:200]
        return JSONResponse(error_body(f"{where}: {message}" if where else message, "invalid_request_error", "invalid_request", where), 400)

    @app.exception_handler(HTTPException)
    async def plain(_: Request, error: HTTPException) -> JSONResponse:
        kind = _TYPES.get(error.status_code, "invalid_request_error" if error.status_code < 500 else "server_error")
        code = HTTPStatus(error.status_code).phrase.lower().replace(" ", "_")
        return JSONResponse(error_body(str(error.detail), kind, code), error.status_code, error.headers)

    @app.exception_handler(Exception)
    async def unexpected(request: Request, error: Exception) -> JSONResponse:
        log.exception("unexpected failure at %s %s", request.method, request.url.path, exc_info=error)
        return JSONResponse(error_body("Something went wrong inside; the log says what.", "server_error", "internal_error"), 500)
