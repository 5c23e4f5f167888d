"""The command line: builds the application, turns every failure into one clear line."""

from __future__ import annotations

import errno
import os
import sys

from commands.app import build
from commands.output import say
from schemas.errors import LaomaError, Misuse

FAILED, MISUSED = 1, 2


def main() -> None:
    """Exit status: 0 done, 1 failed, 2 misuse."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the shell: `>&-`
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
    try:
        try:
            build()()
        finally:
            sys.stdout.flush()  # a disk that is full shows here at the latest
    except Misuse as error:
        _fail(error.message, MISUSED)
    except LaomaError as error:
        _fail(error.message)
    except BrokenPipeError:
        _fall_silent()
    except UnicodeEncodeError as error:
        if os.environ.get("LAOMA_DEBUG"):
            raise
        _fail(_no_text(error), MISUSED)
    except OSError as error:
        if os.environ.get("LAOMA_DEBUG"):
            raise
        _fail(_refused(error))
    except Exception as error:
        if os.environ.get("LAOMA_DEBUG"):
            raise
        _fail(f"{type(error).__name__}: {error}. This is a fault of laoma: LAOMA_DEBUG=1 shows where.")


def _fail(message: str, status: int = FAILED) -> None:
    try:
        sys.stdout.flush()
    except OSError:
        _drop_output()
    sys.stderr.write(f"laoma: {' '.join(message.split())}\n")
    sys.exit(status)


def _no_text(error: UnicodeEncodeError) -> str:
    """Bytes of an argument or a variable that are no UTF-8 reach Python as surrogates: no service takes them."""
    if not "\ud800" <= error.object[error.start] <= "\udfff":
        return say(
            f"{error.encoding} can't show what is to be printed: set LANG=C.UTF-8",
            f"{error.encoding} 无法显示要打印的内容：请设置 LANG=C.UTF-8",
        )
    around = error.object[max(0, error.start - 20) : error.end + 20]
    told = ascii(around)
    return say(
        f"this is no text in UTF-8: {told}. Give it as UTF-8 (`iconv -f GBK -t UTF-8`)",
        f"这不是 UTF-8 文本：{told}。请用 UTF-8（`iconv -f GBK -t UTF-8`）",
    )


def _refused(error: OSError) -> str:
    """What the system did not allow: a disk that is full, a file of somebody else."""
    where = f": {error.filename}" if error.filename else ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return say(
            f"there is no room to write ({error.strerror}{where}): free some and try again; what was there is unchanged",
            f"没有空间可写（{error.strerror}{where}）：腾出空间再试；原有内容没有改变",
        )
    return say(f"the system refuses: {error.strerror or error}{where}", f"系统拒绝：{error.strerror or error}{where}")


def _fall_silent() -> None:
    # whoever read our output went away: nothing is left to say
    _drop_output()
    sys.exit(FAILED)


def _drop_output() -> None:
    # what could not be written must not be complained about once more at Python's end
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
