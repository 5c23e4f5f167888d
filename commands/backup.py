"""backup, restore: all of laoma in one file, and back from it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import typer

from commands.output import confirm, print_json, print_line, say, size, waiting
from commands.place import Place, here, release
from schemas.errors import LaomaError

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def backup(
    file: Annotated[Path, typer.Argument(help="Where to, e.g. on another disk.")],
    force: Annotated[bool, typer.Option("--force", help="Replace the file.")] = False,
    as_json: AsJson = False,
) -> None:
    """All of laoma in one file, while it serves · 备份到一个文件

    Tables, logs, policies, settings and the hashes of keys, of all users, at one moment; read back before it counts. Models are not in it.

    \b
    Example:
      laoma backup /mnt/usb/laoma-2026-03-02.tar.gz
    """
    from lake.backup import pack

    place = here()
    if file.exists() and not force:
        raise LaomaError(f"{file} is there already: choose another name, or --force")
    if not file.parent.is_dir():
        raise LaomaError(f"{file.parent} is no folder: make it first")
    service = place.service()
    with waiting(say("making a snapshot", "正在建立快照")) as words:
        snapshot = service.post("/v1/snapshots", {"reason": "backup"})["name"]
        try:
            at = datetime.now(UTC)
            told = _told(words, say("writing", "正在写入"))
            contents = pack(place.home, snapshot, file, at=at, laoma=release() or "0", told=told)
        except OSError as error:
            raise LaomaError(f"{file} could not be written: {error.strerror or error}") from error
        finally:
            service.delete(f"/v1/snapshots/{quote(snapshot, safe='')}")
    if as_json:
        print_json({"file": str(file), "bytes": file.stat().st_size, "files": len(contents.members), "at": contents.at})
    else:
        print_line(say(f"{file}: {size(file.stat().st_size)}, read back", f"{file}：{size(file.stat().st_size)}，已回读校验"))


def restore(
    file: Annotated[Path, typer.Argument(help="A file of `laoma backup`.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Back to the state of a backup · 从备份恢复

    Into a new LAOMA_HOME, where nothing runs, or into the running lake (a snapshot of the present state is made first). The whole file is
    checked before anything is changed. What was deleted here since the backup stays deleted.

    \b
    Examples:
      laoma restore /mnt/usb/laoma-2026-03-02.tar.gz
      LAOMA_HOME=~/laoma-2 laoma restore laoma-2026-03-02.tar.gz && LAOMA_HOME=~/laoma-2 laoma up
    """
    from lake.backup import unpack, verify
    from serve.backups import is_new

    place = here()
    with waiting(say("checking the file", "正在校验文件")):
        contents = verify(file)
    fresh = is_new(place.home)
    confirm(
        say(
            f"Replace what is there by the state of {contents.at:%Y-%m-%d %H:%M}.", f"用 {contents.at:%Y-%m-%d %H:%M} 的状态替换现有内容。"
        ),
        fresh or yes,
    )
    with waiting(say("restoring", "正在恢复")) as words:
        try:
            unpack(file, place.home, told=_told(words, say("unpacking", "正在解包")))
        except OSError as error:
            raise LaomaError(f"{file} could not be unpacked: {error.strerror or error}") from error
        done = _adopted(place, contents.snapshot) if fresh else _gone_back(place, contents.snapshot)
    if as_json:
        print_json(done)
    elif fresh:
        print_line(say(f"Restored into {place.home}; start it: `laoma up`", f"已恢复到 {place.home}；启动：`laoma up`"))
    else:
        print_line(say(f"Restored. What was there before: {done['before']}", f"已恢复。之前的状态：{done['before']}"))


def _adopted(place: Place, snapshot: str) -> dict[str, object]:
    from serve import cluster
    from serve.backups import adopt

    if cluster.state(place.home, place.settings()).running:
        raise LaomaError("laoma runs here: `laoma down` first")
    new_key = adopt(place.home, snapshot, lambda: datetime.now(UTC))
    return {"restored": snapshot, "before": None, "new_key": new_key}


def _gone_back(place: Place, snapshot: str) -> dict[str, object]:
    return dict(place.service().post(f"/v1/snapshots/{quote(snapshot, safe='')}/restore", None))


def _told(words: Callable[[str], None], what: str) -> Callable[[int, int], None]:
    return lambda done, total: words(f"{what} {100 * done // max(total, 1)} %")
