"""What a statement says of the value that no longer holds ("…, not Rosa any more"): no part of what is remembered (R8)."""

from __future__ import annotations

import re

from memory.normalise import mirror

_FORMER = re.compile(
    r"(?:[,;] *(?:and )?not [^,;]{1,40}? (?:any ?more|any longer)|[,;] *no longer [^,;]{1,40}"
    r"|[，,；;](?:不再|已经不|不)(?:是|用|在|住|去|喝|吃|坐|找|跟|归)?[^，,；;]{0,12}?了)$"
)


def without_former(text: str) -> str:
    """``text`` without the clause at its end that names what it was before; as it is where nothing else would be left."""
    found = _FORMER.search(mirror(text))
    return text[: found.start()] if found and found.start() else text
