"""Our processes on this machine: found by the marks that a start gives them, measured, ended by pid."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress

import psutil

from schemas.cluster import ClusterRecord, ProcessUse

MARK = "LAOMA_CLUSTER"
"""Variable in the environment of everything that a start brings up: the cluster's folder."""
_MIB = 1024 * 1024


def boot_time() -> float:
    """When this machine was started, Unix seconds."""
    return psutil.boot_time()


def belonging(folder: str, session: int | None = None) -> list[psutil.Process]:
    """Processes that carry ``folder`` as their :data:`MARK` or among their arguments (Ray's own), that run in it within ``session``
    (workers, which overwrite their environment with a title, and whose parent died), and the children of these.
    """
    found: dict[int, psutil.Process] = {}
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if _is_rays_own(process, folder) or _is_marked(process, folder) or (session is not None and _runs_in(process, folder, session)):
                found[process.pid] = process
    for process in list(found.values()):
        with suppress(psutil.Error, OSError):
            found.update((child.pid, child) for child in process.children(recursive=True))
    found.pop(psutil.Process().pid, None)
    return list(found.values())


def of(record: ClusterRecord) -> list[psutil.Process]:
    """Living processes of a started cluster; none where the machine was restarted since."""
    if abs(record.boot - boot_time()) > 5:  # the clock may have been set meanwhile, by little
        return []
    return belonging(record.folder, record.session)


def end(processes: Iterable[psutil.Process], patience_s: float) -> None:
    """Ask them to end, then make them; returns when all are gone. A raylet goes first: without the others it would wait in vain."""
    alive = list(processes)
    for group in (_raylets(alive), alive):
        for process in group:
            with suppress(psutil.Error, OSError):
                process.terminate()
        psutil.wait_procs(group, timeout=patience_s)
    _, alive = psutil.wait_procs(alive, timeout=0)
    for process in alive:
        with suppress(psutil.Error, OSError):
            process.kill()
    psutil.wait_procs(alive, timeout=patience_s)


def runs(process: psutil.Process, module: str) -> bool:
    """Whether it is Python with ``-m module``."""
    try:
        return ["-m", module] == process.cmdline()[1:3]
    except psutil.Error:
        return False


def _raylets(processes: Iterable[psutil.Process]) -> list[psutil.Process]:
    found = []
    for process in processes:
        with suppress(psutil.Error, OSError):
            if process.name() == "raylet":
                found.append(process)
    return found


def measured(processes: Iterable[psutil.Process]) -> list[ProcessUse]:
    """What each uses, largest first; those that ended meanwhile or may not be read are left out."""
    uses = []
    for process in processes:
        with suppress(psutil.Error, OSError):
            uses.append(ProcessUse(pid=process.pid, name=_name(process), pss_mb=round(process.memory_full_info().pss / _MIB, 1)))
    return sorted(uses, key=lambda use: -use.pss_mb)


def _is_rays_own(process: psutil.Process, folder: str) -> bool:
    return any(argument.partition("=")[2].startswith(f"{folder}/") or argument == f"--temp-dir={folder}" for argument in process.cmdline())


def _is_marked(process: psutil.Process, folder: str) -> bool:
    return process.environ().get(MARK) == folder


def _runs_in(process: psutil.Process, folder: str, session: int) -> bool:
    return os.getsid(process.pid) == session and process.cwd() == folder


def _name(process: psutil.Process) -> str:
    """A title that the process gave itself, the script that Python runs, or the program."""
    # a process that names itself puts its whole command line behind the name, in one argument
    first, *rest = " ".join(process.cmdline() or [process.name()]).split()
    name = first.rsplit("/", 1)[-1]
    if not name.startswith("python"):
        return name
    script = next((argument for argument in rest if argument.endswith(".py")), None)
    return script.rsplit("/", 1)[-1].removesuffix(".py") if script else name
