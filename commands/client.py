"""A small HTTP client of the service: its errors become ours, its streams become lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from schemas import errors
from schemas.errors import LaomaError

Json = Any
"""What ``json.loads`` gives."""

CONNECT_S = 5.0
READ_S = 120.0

_BY_STATUS: dict[int, type[LaomaError]] = {
    kind.status: kind
    for kind in (
        errors.InvalidRequest,
        errors.Unauthorized,
        errors.Forbidden,
        errors.NotFound,
        errors.Conflict,
        errors.TooMany,
        errors.UpstreamFailed,
        errors.Unavailable,
    )
}


@dataclass(frozen=True)
class Answer:
    """The head of a streamed answer and its lines, without line ends."""

    headers: Mapping[str, str]
    lines: Iterator[str]


class Service:
    """One service at ``url``, spoken to with ``key``. Every failure is a LaomaError that says what to do."""

    def __init__(self, url: str, key: str | None = None, headers: Mapping[str, str] | None = None) -> None:
        self.url = url
        _check_address(url)
        _check_key(key)
        headers = {**(headers or {}), **({"Authorization": f"Bearer {key}"} if key else {})}
        # trust_env off: a proxy of the environment must never see what is asked of the own machine
        self._http = httpx.Client(base_url=url, headers=headers, timeout=httpx.Timeout(READ_S, connect=CONNECT_S), trust_env=False)

    def get(self, path: str, **params: str | int | None) -> Json:
        """The JSON at ``path``; parameters that are None are left out."""
        return self.request("GET", path, params={name: value for name, value in params.items() if value is not None})

    def pages(self, path: str, limit: int, **filters: str | None) -> list[Json]:
        """At most ``limit`` rows of a list, over as many pages as that takes."""
        rows: list[Json] = []
        cursor: str | None = None
        while len(rows) < limit:
            page = self.get(path, limit=min(100, limit - len(rows)), cursor=cursor, **filters)
            rows += page["data"]
            cursor = page["next_cursor"]
            if not cursor:
                break
        return rows[:limit]

    def post(self, path: str, body: Json) -> Json:
        """The JSON answer to ``body``."""
        return self.request("POST", path, json=body)

    def delete(self, path: str) -> Json:
        """Deletes what is at ``path``."""
        return self.request("DELETE", path)

    def request(self, method: str, path: str, *, accept: Sequence[int] = (), **options: Any) -> Json:
        """One exchange; None where the answer has no body. A status in ``accept`` is no failure."""
        with self._reaching():
            response = self._http.request(method, path, **options)
        if response.is_error and response.status_code not in accept:
            raise failure(response.status_code, response.content, response.headers)
        return _json(response.content) if response.content else None

    @contextmanager
    def stream(self, method: str, path: str, body: Json = None, headers: Mapping[str, str] | None = None) -> Iterator[Answer]:
        """An answer read line by line as it comes; leaving the block early hangs up, which stops a generation."""
        with self._reaching(), self._http.stream(method, path, json=body, headers=dict(headers or {})) as response:
            if response.is_error:
                raise failure(response.status_code, response.read(), response.headers)
            yield Answer(response.headers, split_lines(response.iter_bytes()))

    @contextmanager
    def _reaching(self) -> Iterator[None]:
        try:
            yield
        except httpx.ConnectError:
            raise errors.Unavailable(f"laoma does not run at {self.url}: start it with `laoma up`", code="not_running") from None
        except httpx.TimeoutException:
            raise errors.Unavailable(f"{self.url} did not answer in time: look at `laoma status`", code="timeout") from None
        except httpx.HTTPError as error:
            raise errors.Unavailable(
                f"the connection to {self.url} broke off: {error or type(error).__name__}", code="broken_off"
            ) from None


def _check_address(url: str) -> None:
    from schemas.address import fault_of_address

    fault = fault_of_address(url)
    if fault is not None:
        raise errors.Misuse(f"the address {url!a} {fault}: write it as http://HOST:PORT")


def _check_key(key: str | None) -> None:
    if key is not None and not (key.isascii() and key.isprintable() and " " not in key):
        raise errors.Misuse("the key (LAOMA_KEY, or in owner.key) holds what no key holds: a key is ASCII letters, digits and signs")


def split_lines(pieces: Iterable[bytes]) -> Iterator[str]:
    """Lines of a byte stream, cut at LF or CRLF only: U+2028 and its like are text, and a character may span two pieces."""
    rest = b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\n")
        for line in whole:
            yield line.removesuffix(b"\r").decode("utf-8", errors="replace")
    if rest:
        yield rest.removesuffix(b"\r").decode("utf-8", errors="replace")


def failure(status: int, body: bytes, headers: Mapping[str, str]) -> LaomaError:
    """The error that an answer of ``status`` stands for; understands OpenAI's error form and anything else."""
    kind = _BY_STATUS.get(status, LaomaError)
    wait = headers.get("retry-after", "")
    retry_after = int(wait) if wait.isdigit() else None
    try:
        told = json.loads(body)["error"]
        return kind(str(told["message"]), code=told.get("code"), param=told.get("param"), retry_after=retry_after)
    except (ValueError, KeyError, TypeError):
        words = body.decode("utf-8", errors="replace").strip()[:200]
        return kind(f"the service answered {status}{': ' + words if words else ''}", retry_after=retry_after)


def _json(content: bytes) -> Json:
    try:
        return json.loads(content)
    except ValueError:
        raise errors.UpstreamFailed("the answer is no JSON: is LAOMA_URL really laoma's address?") from None
