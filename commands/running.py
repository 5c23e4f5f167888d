"""The running cluster as the commands see it: start, wait until memory answers, restart."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from commands.place import Place
from schemas.errors import LaomaError, Unavailable

if TYPE_CHECKING:
    from schemas.settings import Settings
    from schemas.status import Readiness

POLL_S = 0.2


def start(place: Place, settings: Settings, tell: Callable[[str], None]) -> Readiness:
    """Starts what does not run yet and returns when memory answers; ``tell`` gets words for the person who waits."""
    from serve import cluster

    cluster.start(place.home, settings)
    return wait_ready(place, settings.cluster.start_s, tell)


def wait_ready(place: Place, patience_s: float, tell: Callable[[str], None]) -> Readiness:
    """Raises Unavailable when memory does not answer within ``patience_s`` seconds, with the last reason that was heard."""
    from commands.client import Service

    service = Service(place.local_url)
    deadline = time.monotonic() + patience_s
    reason = ""
    while time.monotonic() < deadline:
        try:
            readiness = read_readiness(service.request("GET", "/readyz", timeout=5, accept=(503,)))
        except LaomaError as error:
            reason = error.message
        else:
            if readiness.ready:
                return readiness
            reason = readiness.detail or ""
        tell(reason)
        time.sleep(POLL_S)
    raise Unavailable(
        f"memory did not answer within {patience_s:.0f} s ({reason}): `laoma status` says more; `laoma down`, then `laoma up`"
    )


def restart(place: Place, tell: Callable[[str], None]) -> bool:
    """Has a running cluster read its settings anew; False when nothing runs."""
    from serve import cluster

    settings = place.settings()
    if not cluster.state(place.home, settings).running:
        return False
    cluster.stop(place.home)
    start(place, settings, tell)
    return True


def read_readiness(body: object) -> Readiness:
    """``/readyz`` as a value."""
    from pydantic import ValidationError

    from schemas.status import Readiness

    try:
        return Readiness.model_validate(body)
    except ValidationError:
        raise LaomaError("something else than laoma answers there: choose another http.port in config.yaml") from None
