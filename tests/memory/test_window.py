"""R1, R2: the window keeps the last exchanges, moves in steps, and tears nothing apart."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from memory.window import Cut, beginnings, cut, kept, leaving

_ROLES = st.lists(st.sampled_from(["user", "assistant", "other"]), max_size=200)


def message(role: str, content: str | None = "x", **fields: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **fields}


def test_twenty_exchanges_stay_and_past_them_six_leave_at_once() -> None:
    assert [leaving(count, keep=20, step=6) for count in (1, 20, 21, 26, 27, 60)] == [0, 0, 6, 6, 12, 42]


@given(count=st.integers(0, 5000), keep=st.integers(1, 60), step=st.integers(1, 60))
def test_a_window_is_never_over_its_size_and_never_empty(count: int, keep: int, step: int) -> None:
    left = count - leaving(count, keep=keep, step=step)
    assert left <= keep
    assert left >= min(count, max(1, keep - max(1, min(step, keep // 2)) + 1))


@given(count=st.integers(0, 500), keep=st.integers(1, 60), step=st.integers(1, 60))
def test_its_beginning_never_goes_back_and_moves_by_whole_steps(count: int, keep: int, step: int) -> None:
    moved = leaving(count + 1, keep=keep, step=step) - leaving(count, keep=keep, step=step)
    assert moved in (0, max(1, min(step, keep // 2)))


@given(_ROLES)
def test_every_exchange_begins_with_the_user_and_is_one_however_many_messages_they_send(roles: list[str]) -> None:
    begins = beginnings(roles)
    assert all(roles[place] == "user" for place in begins)
    assert all(place == 0 or roles[place - 1] != "user" for place in begins)
    runs = [role for place, role in enumerate(roles) if place == 0 or roles[place - 1] != role]
    assert len(begins) == runs.count("user")


@given(_ROLES, st.lists(st.sampled_from(["user", "assistant"]), min_size=1, max_size=8))
def test_what_comes_later_moves_no_earlier_beginning(roles: list[str], later: list[str]) -> None:
    begins = beginnings(roles)
    assert beginnings([*roles, *later])[: len(begins)] == begins


def test_a_client_that_sends_all_is_cut_where_an_exchange_begins() -> None:
    roles = ["user", "assistant"] * 20 + ["user"]
    assert cut(roles, len(roles), keep=20, step=6) == Cut(exchanges=6, turns=12, messages=12)
    assert cut(roles[:39], 39, keep=20, step=6) is None


def test_a_client_that_sends_the_last_ones_only_has_its_window_begin_at_the_same_exchange() -> None:
    roles = ["user", "assistant"] * 24 + ["user"]
    assert cut(roles, 41, keep=20, step=6) == Cut(exchanges=6, turns=12, messages=4)
    assert cut(roles, 9, keep=20, step=6) is None


def test_system_messages_stay_and_a_picture_stays_with_its_question() -> None:
    messages = [message("system"), message("user", "a"), message("assistant", "b"), message("user", None), message("user", "what is it?")]
    assert [one["content"] for one in kept(messages, 4)] == ["x", None, "what is it?"]


def test_a_tool_call_and_its_result_are_never_torn_apart() -> None:
    call = message("assistant", None, tool_calls=[{"id": "t1", "type": "function", "function": {"name": "f", "arguments": "{}"}}])
    messages = [message("user", "1"), message("assistant", "2"), message("user", "3"), call, message("user", "4")]
    messages += [message("tool", "5", tool_call_id="t1"), message("assistant", "6"), message("user", "7")]
    assert [one["content"] for one in kept(messages, 4)] == ["3", None, "4", "5", "6", "7"]
    assert [one["content"] for one in kept(messages, 7)] == ["7"]


@given(st.lists(st.sampled_from(["system", "user", "assistant", "call", "tool"]), max_size=40), st.data())
def test_whatever_is_kept_is_a_tail_with_its_system_messages_and_whole_tool_calls(kinds: list[str], data: st.DataObject) -> None:
    messages, calls = [], 0
    for kind in kinds:
        if kind == "call":
            calls += 1
            messages.append(message("assistant", None, tool_calls=[{"id": f"t{calls}"}]))
        elif kind == "tool":
            messages.append(message("tool", "r", tool_call_id=f"t{calls}"))
        else:
            messages.append(message(kind))
    users = [place for place, one in enumerate(messages) if one["role"] == "user"]
    start = data.draw(st.sampled_from(users)) if users else 0
    left = kept(messages, start)
    spoken = [one for one in messages if one["role"] != "system"]
    tail = [one for one in left if one["role"] != "system"]
    assert tail == spoken[len(spoken) - len(tail) :]
    assert [one for one in left if one["role"] == "system"] == [one for one in messages if one["role"] == "system"]
    made = {call["id"] for one in messages for call in one.get("tool_calls", [])}
    there = {call["id"] for one in left for call in one.get("tool_calls", [])}
    assert all(one["tool_call_id"] in there for one in left if one["role"] == "tool" and one["tool_call_id"] in made)
