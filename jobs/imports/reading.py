"""The first step of an import, files → staged conversations. A file that can't be read refuses all, before anything is stored."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jobs.imports.conversation import Problem, Reading
from jobs.imports.document import examine
from jobs.imports.readers import AUTO, Recognised, named, recognise
from jobs.imports.source import PassedOver, sources
from jobs.imports.staging import Staging
from schemas.errors import InvalidRequest

Files = Sequence[tuple[Path, str]]
"""Where each file, folder or archive lies, and its name for people."""
_STEP = "read"


def stage(files: Files, how: Reading, staging: Staging, format: str = AUTO) -> None:
    """Read all files into ``staging``, once. Raises InvalidRequest that names file and place, and nothing is staged then.

    In folders and archives a file that nobody recognises is passed over; with ``how.skip_bad`` a broken one too.
    """
    if staging.is_done(_STEP):
        return
    named(format)
    staging.begin()
    try:
        read, passed = _read(files, how, staging, format)
        if not read:
            seen = f" (looked at {', '.join(passed[:5])})" if passed else ""
            raise InvalidRequest(f"no known export in {', '.join(name for _, name in files)}{seen}", code="unreadable_import")
    except BaseException:
        staging.rollback()
        raise
    staging.commit(_STEP)


def _read(files: Files, how: Reading, staging: Staging, format: str) -> tuple[int, list[str]]:
    """How many files were read, and the names of those that were passed over."""
    given = {name for _, name in files}
    read, passed = 0, []
    for source in sources(files):
        if isinstance(source, PassedOver):
            staging.report(Problem(source.name, source.reason))
            continue
        loose = source.name not in given
        try:
            recognised = recognise(examine(source), format)
        except InvalidRequest:
            if not loose:
                raise
            recognised = None
        if recognised is None or (loose and recognised.reader is None and not recognised.is_nothing):
            passed.append(source.name)
            continue
        read += _one(recognised, how, staging, loose=loose)
    return read, passed


def _one(recognised: Recognised, how: Reading, staging: Staging, *, loose: bool) -> bool:
    """Whether the file was read."""
    document = recognised.document
    with staging.part() as undo:
        try:
            for one in recognised.read(how):
                if isinstance(one, Problem):
                    staging.report(one)
                elif one.utterances:
                    assert recognised.reader is not None
                    staging.put(recognised.reader.name, document.name, one, document.source.modified)
        except InvalidRequest as error:
            if not (loose and how.skip_bad):
                raise
            undo()
            staging.report(Problem(document.name, error.message))
            return False
    return True
