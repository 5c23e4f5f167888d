"""Keeps Ray Serve's own ports on this node's address.

A replica's gRPC server, which takes pickled arguments, is bound to every interface by Ray 2.60 (``[::]:0`` in
``serve/_private/replica.py``) whatever the node's address is. The hook below runs in each worker before Serve is imported there.
"""

from __future__ import annotations

from typing import Any

HOOK = "serve.loopback.stay_on_node_address"
"""For ``runtime_env={"worker_process_setup_hook": HOOK}``."""
_EVERY_INTERFACE = "[::]:"


def stay_on_node_address() -> None:
    """Have gRPC servers that ask for every interface listen on this node's address alone (loopback at home)."""
    from ray._common import tls_utils

    ports: Any = tls_utils
    bind = ports.add_port_to_grpc_server

    def bind_to_node(server: Any, address: str) -> int:
        return int(bind(server, _narrowed(address)))

    ports.add_port_to_grpc_server = bind_to_node


def _narrowed(address: str) -> str:
    import ray.util

    if not address.startswith(_EVERY_INTERFACE):
        return address
    ray_util: Any = ray.util
    return f"{ray_util.get_node_ip_address()}:{address.removeprefix(_EVERY_INTERFACE)}"
