"""What is known about the running cluster: the file that a start leaves behind, and what ``laoma status`` shows."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from schemas.status import ModelState


class ClusterRecord(BaseModel):
    """``LAOMA_HOME/cluster.json`` (0600): where the started cluster is to be found, and by which marks its processes are known as ours.

    ``address`` is Ray's (host:port), ``session`` the process session that all of them belong to, ``boot`` the machine's boot time in
    seconds: a record from before a reboot is stale. ``ready`` is false while the start is under way.
    """

    address: str
    http: str
    dashboard: str
    folder: str
    session: int
    boot: float
    ready: bool = False


class AppStatus(BaseModel):
    """An application of Ray Serve, in Ray's words; ``message`` says why where it failed."""

    status: str
    message: str = ""


class ProcessUse(BaseModel):
    """One of our processes: ``pss_mb`` is its fair share of memory, MiB."""

    pid: int
    name: str
    pss_mb: float


class ClusterState(BaseModel):
    """``stopped``: nothing of ours runs; ``broken``: processes run, yet Ray does not answer (``laoma up`` mends it)."""

    state: Literal["stopped", "starting", "running", "broken"]
    http: str | None = None
    dashboard: str | None = None
    address: str | None = None
    apps: dict[str, AppStatus] = {}
    model: ModelState
    processes: list[ProcessUse] = []

    @property
    def running(self) -> bool:
        """Memory routes can be expected to answer."""
        return self.state == "running"

    @property
    def pss_mb(self) -> float:
        """Memory of all our processes, MiB."""
        return sum(process.pss_mb for process in self.processes)
