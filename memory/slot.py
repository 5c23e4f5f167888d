"""The slot of a memory whose words the user changed: what came from the old words follows the new ones, what somebody named stays."""

from __future__ import annotations

from dataclasses import replace

from memory.edits import Edit
from memory.normalise import statement_key
from memory.statement import Statement
from schemas.memory import GENERAL_SCENE, Memory


def follow(memory: Memory, wanted: Edit, before: Statement, after: Statement) -> Edit:
    """``wanted`` with kind, key, subject and scene of the new words where the memory's own are those of its old words.

    ``before`` is what its present text states, ``after`` what the wanted one does (:func:`memory.extract.stated.stated`). What
    ``wanted`` names itself outranks both.
    """
    if wanted.text is None or statement_key(wanted.text) == statement_key(memory.text):
        return wanted
    old, new = memory.text, wanted.text
    if wanted.key is None and _from_words(memory.key.rsplit("/", 1)[-1], memory.key == before.key, old, new):
        kind = memory.kind if after.cue == "stated" else after.kind
        wanted = replace(wanted, key=after.key, kind=wanted.kind or kind, subject=wanted.subject or after.subject)
    if wanted.scene is None and (memory.scene == GENERAL_SCENE or _from_words(memory.scene, memory.scene == before.scene, old, new)):
        wanted = replace(wanted, scene=after.scene)
    return wanted


def _from_words(name: str, recognised: bool, old: str, new: str) -> bool:
    """Whether a name was taken from the old words: the rules give it to them, or they hold it and the new ones do not."""
    named = statement_key(name)
    return recognised or (named in statement_key(old) and named not in statement_key(new))
