"""A command on a terminal, typed at as a person would: waits for what it shows before it types on."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60
AGAIN_S = 5.0


class Terminal:
    """``laoma ARGUMENTS`` with a terminal of its own."""

    def __init__(self, *arguments: str, environment: Mapping[str, str]) -> None:
        self._master, slave = pty.openpty()
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("LAOMA_", "LC_"))}
        self._child = subprocess.Popen(
            [sys.executable, "laoma.py", *arguments],
            cwd=ROOT,
            env=inherited | {"TERM": "dumb", "LANG": "C.UTF-8"} | dict(environment),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=_take_terminal,
        )
        os.close(slave)
        self.shown = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._child.kill()
        self._child.wait()
        os.close(self._master)

    def type(self, text: str) -> None:
        """Keys; ``\\x03`` is Ctrl-C, ``\\x04`` Ctrl-D."""
        os.write(self._master, text.encode())

    def until(self, expected: str) -> str:
        """What was shown since the last call, up to and with ``expected``."""
        while expected not in self.shown:
            if not self._more():
                raise AssertionError(f"{expected!r} was never shown, but {self.shown!r}")
        before, _, self.shown = self.shown.partition(expected)
        return before + expected

    def interrupt(self, expected: str | None = None) -> None:
        """Ctrl-C, as often as a person would press it: one that comes just before readline waits for keys is not seen.

        Until ``expected`` is shown, or (None) until the command has ended.
        """
        for _ in range(PATIENCE_S):
            self.type("\x03")
            while self._more(AGAIN_S):
                if expected is not None and expected in self.shown:
                    return
            if expected is None:
                with suppress(subprocess.TimeoutExpired):  # its side of the terminal is gone a moment before it is
                    self._child.wait(AGAIN_S)
                    return
        raise AssertionError(f"Ctrl-C was never seen, but {self.shown!r}")

    def ended(self) -> int:
        """The exit status, when it has ended; ``shown`` then holds the rest."""
        while self._more():
            pass
        return self._child.wait(PATIENCE_S)

    def _more(self, patience_s: float = PATIENCE_S) -> bool:
        if not select.select([self._master], [], [], patience_s)[0]:
            return False
        try:
            piece = os.read(self._master, 4096)
        except OSError:  # the command is gone, and its side of the terminal with it
            return False
        self.shown += piece.decode("utf-8", "replace")
        return bool(piece)


def _take_terminal() -> None:
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
