"""Addresses of services, as a person writes them."""

from __future__ import annotations

from urllib.parse import urlsplit


def fault_of_address(url: str) -> str | None:
    """What keeps ``url`` from being the base address of an HTTP service, as the rest of a sentence; None where nothing does."""
    if not url.startswith(("http://", "https://")):
        return "must begin with http:// or https://"
    if any(not char.isprintable() or char.isspace() or 0xD800 <= ord(char) <= 0xDFFF for char in url):
        return "holds a space or an unreadable character"
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        return f"is no address ({error})"
    if not host:
        return "names no host"
    return "names port 0" if port == 0 else None
