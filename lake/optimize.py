"""Keeping LanceDB fast and small: compaction, cleaning of old versions, and rewriting what was deleted so that its bytes go."""

from __future__ import annotations

import warnings
from datetime import timedelta
from typing import Any

from lake.tables import overwrite

_NEVER = timedelta(days=3650)


def compact(table: Any) -> None:
    """Join the small fragments of a table; old versions stay."""
    table.optimize(cleanup_older_than=_NEVER)


def rewrite(table: Any) -> bool:
    """Write the table anew where it still carries rows that were deleted or replaced; whether it did.

    Compaction alone leaves up to a tenth of deleted rows in the data files.
    """
    if int(table.list_versions()[-1]["metadata"].get("total_deletion_file_rows", 0)) == 0:
        return False
    overwrite(table, table.search().to_batches())
    return True


def cover(table: Any) -> None:
    """A commit that changes nothing: the newest version still says in words what it deleted, and would be the one that stays."""
    table.add(table.schema.empty_table())


def clean(table: Any, keep: timedelta, *, alone: bool = False) -> bool:
    """Remove versions older than ``keep``; False when a tag holds one of them, which makes LanceDB clean nothing.

    ``alone``: nobody else reads this table, files of broken-off writes go too.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            table.optimize(cleanup_older_than=keep, delete_unverified=alone)
    except RuntimeError as error:
        if "tagged version" not in str(error):
            raise
        return False
    return True
