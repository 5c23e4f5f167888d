"""Errors that a person or a client is meant to see. Each says what to do next; HTTP status and OpenAI error type belong to the class."""

from __future__ import annotations


class LaomaError(Exception):
    """Base of all. ``code`` is stable and machine-readable, ``param`` names the field at fault."""

    status = 500
    type = "server_error"
    code = "internal_error"

    def __init__(self, message: str, *, code: str | None = None, param: str | None = None, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or type(self).code
        self.param = param
        self.retry_after = retry_after

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return _rebuild, (type(self), self.message, self.code, self.param, self.retry_after)


def _rebuild(kind: type[LaomaError], message: str, code: str, param: str | None, retry_after: int | None) -> LaomaError:
    return kind(message, code=code, param=param, retry_after=retry_after)


class InvalidRequest(LaomaError):
    """The request is malformed: nothing was done."""

    status, type, code = 400, "invalid_request_error", "invalid_request"


class Misuse(InvalidRequest):
    """A command was given what it can't take: exit status 2."""


class Unauthorized(LaomaError):
    """No key, or one that is not known."""

    status, type, code = 401, "authentication_error", "invalid_api_key"


class Forbidden(LaomaError):
    """The key is good but may not do this."""

    status, type, code = 403, "permission_error", "forbidden"


class NotFound(LaomaError):
    """There is no such thing, or it is somebody else's."""

    status, type, code = 404, "not_found_error", "not_found"


class Conflict(LaomaError):
    """The thing changed since the client read it (``If-Match``)."""

    status, type, code = 409, "conflict_error", "version_conflict"


class TooMany(LaomaError):
    """More than this box takes at once: try again after ``retry_after`` seconds."""

    status, type, code = 429, "rate_limit_error", "overloaded"


class Unavailable(LaomaError):
    """Not ready yet (the model loads, a shard moves): try again after ``retry_after`` seconds."""

    status, type, code = 503, "unavailable_error", "not_ready"


class UpstreamFailed(LaomaError):
    """The model server answered with an error or broke off."""

    status, type, code = 502, "upstream_error", "upstream_failed"


class Fenced(Unavailable):
    """Another replica owns this shard now: this one has stopped writing."""

    code = "fenced"


class EmbedderMismatch(LaomaError):
    """The lake's vectors come from another embedder than the one configured: nothing is compared or written."""

    status, type, code = 503, "unavailable_error", "embedder_mismatch"


class SettingsError(LaomaError):
    """``config.yaml`` says something that is not understood."""

    status, type, code = 500, "configuration_error", "bad_settings"
