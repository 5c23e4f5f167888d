"""Asks Ray's dashboard of a running cluster; so that looking and stopping need no Ray in this process."""

from __future__ import annotations

import httpx

from schemas.cluster import AppStatus, ClusterRecord

_ASK_S = 5.0
_SHUT_S = 20.0


def applications(record: ClusterRecord) -> dict[str, AppStatus] | None:
    """Serve's applications by name; None where Ray does not answer."""
    try:
        with _client(record, _ASK_S) as client:
            answer = client.get("/api/serve/applications/").raise_for_status().json()
    except (httpx.HTTPError, ValueError):
        return None
    return {name: AppStatus(status=app["status"], message=_why(app)) for name, app in (answer.get("applications") or {}).items()}


def shut_applications(record: ClusterRecord) -> None:
    """Let deployments end in their own manner (open conversations are written back) before their processes are."""
    try:
        with _client(record, _SHUT_S) as client:
            client.delete("/api/serve/applications/")
    except httpx.HTTPError:
        return


def _client(record: ClusterRecord, patience_s: float) -> httpx.Client:
    return httpx.Client(base_url=record.dashboard, timeout=patience_s, trust_env=False)


def _why(app: dict[str, object]) -> str:
    deployments = app.get("deployments")
    said = [str(one.get("message") or "") for one in deployments.values()] if isinstance(deployments, dict) else []
    return " ".join(filter(None, [str(app.get("message") or ""), *said]))
