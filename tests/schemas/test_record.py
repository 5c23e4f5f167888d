"""One source for each shape: what goes into Arrow comes out equal."""

from __future__ import annotations

from datetime import UTC, datetime, timezone

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from lake.tables import KINDS
from lake.writes import Put, decode, encode
from schemas.exchange import Tokens
from schemas.memory import Memory
from schemas.record import Moment, Record, arrow_schema, from_table, to_table, vector_fields
from schemas.turn import Turn

DIM = 4
text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
moments = st.datetimes(datetime(1970, 1, 2), datetime(2200, 1, 1), timezones=st.sampled_from([UTC, timezone.max, timezone.min]))
floats = st.floats(-1e6, 1e6, width=32)
vectors = st.lists(floats, min_size=DIM, max_size=DIM)


def instances(kind: type[Record]) -> st.SearchStrategy[Record]:
    """Valid rows of a kind, built from its own annotations."""
    fields = {}
    for name, info in kind.model_fields.items():
        column = arrow_schema(kind, DIM).field(name)
        fields[name] = _values(kind, name, column)
        if column.nullable and not info.is_required():
            fields[name] = st.none() | fields[name]
    return st.fixed_dictionaries(fields).map(kind.model_validate)


def _values(kind: type[Record], name: str, column: pa.Field) -> st.SearchStrategy[object]:
    choices = _choices(kind, name)
    if choices:
        return st.sampled_from(choices)
    if pa.types.is_fixed_size_list(column.type):
        return vectors
    if pa.types.is_list(column.type):
        return st.lists(floats if pa.types.is_floating(column.type.value_type) else text, max_size=3)
    if pa.types.is_timestamp(column.type):
        return moments
    if pa.types.is_boolean(column.type):
        return st.booleans()
    if pa.types.is_integer(column.type):
        return st.integers(0, 2)
    if pa.types.is_floating(column.type):
        return st.floats(0, 1)
    return text


def _choices(kind: type[Record], name: str) -> list[str]:
    schema = kind.model_json_schema()["properties"][name]
    parts = [schema, *schema.get("anyOf", [])]
    return [choice for part in parts for choice in (part.get("enum") or ([part["const"]] if "const" in part else []))]


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_rows_survive_arrow_and_the_journal_unchanged(kind: type[Record], data: st.DataObject) -> None:
    rows = data.draw(st.lists(instances(kind), min_size=1, max_size=4))
    table = to_table(kind, rows, DIM)
    assert table.schema.equals(arrow_schema(kind, DIM), check_metadata=True)
    assert from_table(kind, table) == rows
    assert decode(encode(Put(rows)), kind) == Put(rows)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_no_rows_are_a_table_of_the_same_shape(kind: type[Record]) -> None:
    table = to_table(kind, [], DIM)
    assert table.schema.equals(arrow_schema(kind, DIM), check_metadata=True)
    assert from_table(kind, table) == []


def test_times_are_kept_in_utc_to_the_microsecond() -> None:
    column = arrow_schema(Turn, DIM).field("at")
    assert column.type == pa.timestamp("us", tz="UTC")
    moment = datetime.fromisoformat("2025-11-02T01:30:00.123456-05:00")
    row = Turn(id="t", user="u", conversation="c", exchange="e", at=moment, role="user", content="x")
    (back,) = from_table(Turn, to_table(Turn, [row], DIM))
    assert back.at == datetime(2025, 11, 2, 6, 30, 0, 123456, tzinfo=UTC)
    assert back.at.tzinfo == UTC


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(ValidationError):
        Turn(id="t", user="u", conversation="c", exchange="e", at=datetime(2025, 1, 1), role="user", content="x")


def test_a_change_is_validated_again() -> None:
    now = datetime(2025, 1, 1, tzinfo=UTC)
    row = Memory(id="m", user="u", kind="fact", key="k", text="t", created_at=now, updated_at=now)
    assert row.but(confidence=0.5).confidence == 0.5
    with pytest.raises(ValidationError):
        row.but(confidence=1.5)


def test_the_columns_of_vectors_are_known() -> None:
    assert vector_fields(Memory) == ("vector",)
    assert vector_fields(Turn) == ()


def columns(of: str) -> list[tuple[type[Record], str]]:
    return [(kind, field.name) for kind in KINDS.values() for field in arrow_schema(kind, DIM) if str(field.type).startswith(of)]


@pytest.mark.parametrize(("kind", "column"), columns("int64"), ids=lambda part: getattr(part, "__name__", part))
@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 2**70])
def test_no_whole_number_passes_that_its_column_could_not_hold(kind: type[Record], column: str, number: int) -> None:
    with pytest.raises(ValidationError, match=column):
        kind.model_validate({column: number})


@pytest.mark.parametrize(
    "moment", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "1899-12-31T23:59:59Z", "2201-01-01T00:00:00Z", 1e18, -1e18]
)
def test_a_time_outside_1900_to_2200_is_refused_as_a_fault_of_the_input(moment: object) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(Moment).validate_python(moment)


@pytest.mark.parametrize("moment", ["1900-01-01T08:00:00+08:00", "2200-12-31T23:59:59.999999Z"])
def test_the_first_and_the_last_moment_pass(moment: str) -> None:
    assert TypeAdapter(Moment).validate_python(moment) == datetime.fromisoformat(moment)


@pytest.mark.parametrize(
    ("reported", "kept"), [(7, 7), (0, 0), (2**70, None), (-1, None), ("many", None), (1.5, None), (True, None), (None, None)]
)
def test_a_model_servers_odd_token_count_costs_the_count_and_not_the_reply(reported: object, kept: int | None) -> None:
    assert TypeAdapter(Tokens).validate_python(reported) == kept
