"""Correcting, deleting and taking back by hand (R31)."""

from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from memory.edits import Buried, Edit, delete, edit, revert, tombstoned, versions
from memory.normalise import digest, statement_key
from memory.statement import Statement
from schemas.errors import NotFound
from schemas.memory import Change, Memory, Tombstone
from schemas.turn import Turn

AT = datetime(2025, 5, 1, tzinfo=UTC)
IDS = count()


def new_id() -> str:
    return f"c{next(IDS):04}"


MEMORY = Memory(
    id="m",
    user="u",
    kind="fact",
    key="关系/牙医/姓名",
    subject="牙医",
    text="My dentist is Dr. Pell",
    created_at=AT,
    updated_at=AT,
    embedder="e",
    vector=[1.0, 0.0],
)
CREATED = Change(id="c", user="u", memory="m", at=AT, action="create", after=MEMORY.text, reason="first", actor="rule")


def test_an_edit_counts_a_version_and_needs_a_new_vector():
    row, change = edit(MEMORY, Edit(text="My dentist is Dr. Quill"), at=AT, new_id=new_id)
    assert (row.text, row.previous, row.version, row.vector, row.embedder) == ("My dentist is Dr. Quill", MEMORY.text, 2, None, None)
    assert (change.action, change.before, change.after, change.actor) == ("edit", MEMORY.text, row.text, "user")


def test_an_edit_of_another_field_keeps_text_and_vector():
    row, _ = edit(MEMORY, Edit(priority=2), at=AT, new_id=new_id)
    assert (row.text, row.priority, row.vector, row.version) == (MEMORY.text, 2, [1.0, 0.0], 2)


def test_any_earlier_version_can_be_taken_back():
    second, one = edit(MEMORY, Edit(text="Dr. Quill"), at=AT + timedelta(1), new_id=new_id)
    third, two = edit(second, Edit(text="Dr. Ravn"), at=AT + timedelta(2), new_id=new_id)
    history = [CREATED, one, two]
    assert [(each.number, each.text) for each in versions(third, history)] == [(1, MEMORY.text), (2, "Dr. Quill"), (3, "Dr. Ravn")]
    back, change = revert(third, history, 1, at=AT + timedelta(3), new_id=new_id)
    assert (back.text, back.version, back.previous, change.action) == (MEMORY.text, 4, "Dr. Ravn", "restore")
    last, _ = revert(third, history, None, at=AT + timedelta(3), new_id=new_id)
    assert last.text == "Dr. Quill"


def test_a_version_that_never_was_is_refused_with_those_there_are():
    with pytest.raises(NotFound, match="no version 7; there are: 1"):
        revert(MEMORY, [CREATED], 7, at=AT, new_id=new_id)


def test_deletion_keeps_no_text_and_bars_the_same_statement_until_it_is_said_anew():
    stones, change = delete(MEMORY, [], at=AT, new_id=new_id)
    assert (change.before, change.after, change.action) == (None, None, "delete")
    assert not any("Pell" in stone.model_dump_json() for stone in stones)
    again = Statement("fact", "关系/牙医/姓名", "my dentist is Dr. Pell.", "Dr. Pell", "test", subject="牙医")
    assert tombstoned(again, stones, said_at=AT - timedelta(days=3))
    assert not tombstoned(again, stones, said_at=AT + timedelta(seconds=1))


def test_a_turn_that_says_a_deleted_memory_is_known_by_its_words_until_they_are_said_anew() -> None:
    at = AT
    turn = Turn(id="t1", user="ming", conversation="c", exchange="t1", at=at, role="user", content="早上好，我对花生过敏。谢谢")
    stone = Tombstone(id=digest("user", statement_key("我对花生过敏")), user="ming", key="", at=at, turns=["other"])
    assert Buried([stone]).says(turn)
    assert Buried([stone.but(turns=["t1"])]).says(turn.but(content="别的"))
    assert not Buried([stone]).says(turn.but(at=at + timedelta(hours=1)))
    assert Buried([stone]).says(turn.but(at=at + timedelta(hours=1), extraction="skipped"))
    assert not Buried([stone]).says(turn.but(content="我对芒果过敏"))
