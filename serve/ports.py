"""Ports of this machine: free ones to take, and who holds one that is wanted."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from contextlib import ExitStack

import psutil

LOOPBACK = "127.0.0.1"


def free_ports(wanted: Sequence[int | None], host: str = LOOPBACK) -> list[int]:
    """The wanted ports as they are, and a different free one for each None."""
    with ExitStack() as held:
        ports = []
        for port in wanted:
            if port is None:
                holder = held.enter_context(socket.socket())
                holder.bind((host, 0))
                port = int(holder.getsockname()[1])
            ports.append(port)
        return ports


def is_free(host: str, port: int) -> bool:
    """Whether a server could listen there now."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((host, port))
        except OSError:
            return False
        return True


def holder(port: int) -> str | None:
    """Who listens on ``port``, as ``name (pid)``, where this user may know."""
    try:
        for connection in psutil.net_connections("tcp"):
            if connection.status == psutil.CONN_LISTEN and connection.laddr and connection.laddr.port == port and connection.pid:
                return f"{psutil.Process(connection.pid).name()} ({connection.pid})"
    except psutil.Error:
        pass
    return None
