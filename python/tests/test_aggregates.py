"""Aggregations and sorts return those of whole tables, whatever memory they have."""

import datetime
import decimal
import math
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shuffles import stored

import blobshuffle.aggregates
import blobshuffle.operations
import blobshuffle.sorts
from blobshuffle import SchemaMismatch, ShuffleWriter, aggregate, sort

drawn = settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    print_blob=True,
)

KEYS: list[tuple[Any, st.SearchStrategy[Any]]] = [
    (pa.int64(), st.integers(0, 4)),
    (pa.float64(), st.sampled_from([0.0, -0.0, math.nan, 1.5, -math.inf])),
    (pa.string(), st.sampled_from(["", "a", "b", "ä"])),
    (pa.string_view(), st.sampled_from(["", "a", "more than twelve bytes"])),
    (pa.dictionary(pa.int8(), pa.string()), st.sampled_from(["", "a", "b"])),
    (pa.decimal128(6, 2), st.sampled_from([decimal.Decimal("1.00"), decimal.Decimal("2.50")])),
    (pa.decimal32(5, 2), st.sampled_from([decimal.Decimal("1.00"), decimal.Decimal("2.50")])),
    (pa.decimal64(9, 1), st.sampled_from([decimal.Decimal("1.0"), decimal.Decimal("2.5")])),
    (pa.dictionary(pa.int8(), pa.date32()), st.sampled_from([datetime.date(2026, 1, 2)])),
    (pa.bool_(), st.booleans()),
    (pa.timestamp("us"), st.sampled_from([datetime.datetime(2026, 1, n) for n in (1, 2)])),
    (pa.binary(2), st.sampled_from([b"ab", b"cd"])),
    (pa.null(), st.none()),
]


@st.composite
def tables(draw: Any) -> tuple[pa.Table, list[str]]:
    rows = draw(st.integers(0, 25))
    keys = ["k", "l"][: draw(st.integers(1, 2))]
    columns: dict[str, Any] = {}
    for key in keys:
        data_type, values = draw(st.sampled_from(KEYS))
        column = draw(st.lists(st.none() | values, min_size=rows, max_size=rows))
        if pa.types.is_dictionary(data_type):
            encoded: Any = pa.array(column, data_type.value_type).dictionary_encode()
            columns[key] = encoded.cast(data_type)
        else:
            columns[key] = pa.array(column, data_type)
    numbers = st.none() | st.integers(-100, 100)
    columns["v"] = pa.array(draw(st.lists(numbers, min_size=rows, max_size=rows)), pa.int64())
    columns["row"] = pa.array(range(rows), pa.int64())
    return pa.table(columns), keys


def same_key(value: Any) -> Any:
    """Return a key that Python's dicts tell apart as SQL does."""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else value + 0.0
    return value


def groups_of(table: pa.Table, keys: list[str]) -> dict[Any, list[Any]]:
    groups: dict[Any, list[Any]] = {}
    for row in table.to_pylist():
        groups.setdefault(tuple(same_key(row[key]) for key in keys), []).append(row["v"])
    return groups


def summary(values: list[Any]) -> dict[str, Any]:
    some = [value for value in values if value is not None]
    return {
        "total": sum(some) if some else None,
        "average": sum(some) / len(some) if some else None,
        "least": min(some) if some else None,
        "most": max(some) if some else None,
        "known": len(some),
        "rows": len(values),
        "one": some[0] if some else None,
        "end": some[-1] if some else None,
    }


AGGREGATES = {
    "total": ("v", "sum"),
    "average": ("v", "mean"),
    "least": ("v", "min"),
    "most": ("v", "max"),
    "known": ("v", "count"),
    "rows": ("v", "size"),
    "one": ("v", "first"),
    "end": ("v", "last"),
}


def written(store, table, keys, partitions):
    with ShuffleWriter(
        store, shuffle="s", map=0, maps=1, partitions=partitions, schema=table.schema
    ) as writer:
        writer.write(table, keys=keys)
        return [writer.commit()]


@drawn
@given(tables(), st.integers(1, 3), st.sampled_from([300, 1 << 20]), st.booleans())
def test_an_aggregation_is_that_of_whole_tables(
    tmp_path_factory, monkeypatch, drawn_table, partitions, memory, are_refs
):
    monkeypatch.setattr(blobshuffle.operations, "MIN_OPERATION_MEMORY", 1)
    store = tmp_path_factory.mktemp("store")
    table, keys = drawn_table
    rows = written(store, table, keys, partitions) if are_refs else table.to_reader(4)
    before = stored(store)
    count = None if are_refs else partitions
    reader = aggregate(rows, keys, AGGREGATES, store=store, partitions=count, memory=memory)
    assert [reader.schema.field(key).type for key in keys] == [table[key].type for key in keys]
    found = reader.read_all()
    found.validate(full=True)
    expected = {key: summary(values) for key, values in groups_of(table, keys).items()}
    results = {}
    for row in found.to_pylist():
        key = tuple(same_key(row[name]) for name in keys)
        assert key not in results
        results[key] = {name: row[name] for name in AGGREGATES}
    assert results == expected
    assert stored(store) == before


def test_groups_that_exceed_memory_are_those_of_duckdb(tmp_path, monkeypatch):
    monkeypatch.setattr(blobshuffle.operations, "MIN_OPERATION_MEMORY", 1)
    divided = []
    real = blobshuffle.aggregates.scratch
    monkeypatch.setattr(
        blobshuffle.aggregates, "scratch", lambda *args: divided.append(args) or real(*args)
    )
    random = np.random.default_rng(3)
    table = pa.table(
        {"k": random.integers(0, 20_000, 60_000), "v": random.integers(-1000, 1000, 60_000)}
    )
    wanted = {"total": ("v", "sum"), "n": ("v", "size")}
    found = aggregate(table, "k", wanted, store=tmp_path, partitions=2, memory=400_000).read_all()
    with duckdb.connect() as connection:
        connection.register("rows", table)
        query = "select k, sum(v)::bigint, count(*) from rows group by k order by k"
        expected = connection.execute(query).fetchall()
    ordered = found.sort_by("k")
    assert (
        list(zip(*(ordered[name].to_pylist() for name in ("k", "total", "n")), strict=True))
        == expected
    )
    assert divided
    assert stored(tmp_path) == []


def test_a_sum_that_its_type_does_not_hold_is_refused(tmp_path):
    big = pa.table({"k": [1, 1], "v": [1 << 62, 1 << 62]})
    with pytest.raises(ValueError, match=r"Cannot sum 'total': a sum is about 9.22e\+18"):
        aggregate(big, "k", {"total": ("v", "sum")}, store=tmp_path).read_all()
    exact = big.set_column(1, "v", big["v"].cast(pa.decimal128(38, 0)))
    found = aggregate(exact, "k", {"total": ("v", "sum")}, store=tmp_path).read_all()
    assert found["total"].to_pylist() == [decimal.Decimal(1 << 63)]
    assert stored(tmp_path) == []


def test_an_illegal_aggregation_is_refused_at_once(tmp_path):
    table = pa.table({"k": [[1]], "v": ["a"]})
    cases: list[tuple[Any, Any, str]] = [
        (("v", {"x": ("v", "median")}), ValueError, "legal are sum"),
        (("v", {"v": ("v", "min")}), ValueError, "named twice"),
        (("k", {"x": ("v", "size")}), TypeError, "Cannot aggregate columns"),
        (("v", {"x": ("v", "sum")}), TypeError, "Cast them"),
        (("v", {"x": "sum"}), ValueError, "pass a column and a function"),
        (("v", {"x": ("v", "mean")}), TypeError, "column 'v' of type string by a mean"),
        (("w", {"x": ("v", "sum")}), KeyError, "'w'"),
        (([], {"x": ("v", "sum")}), ValueError, "no key"),
    ]
    for arguments, failure, match in cases:
        with pytest.raises(failure, match=match):
            aggregate(table, *arguments, store=tmp_path)
    with pytest.raises(ValueError, match="no store"):
        aggregate(table, "v", {"x": ("v", "size")})
    with pytest.raises(ValueError, match="at least 16777216"):
        aggregate(table, "v", {"x": ("v", "size")}, store=tmp_path, memory=100)
    with pytest.raises(SchemaMismatch, match="without columns"):
        aggregate([], "v", {"x": ("v", "size")}, store=tmp_path)
    assert stored(tmp_path) == []


def order_of(table: pa.Table, by: list[tuple[str, str]], placement: str) -> list[int]:
    """Sort row numbers by one key after the other, from the last to the first: stable."""
    numbers = list(range(table.num_rows))
    rows = table.to_pylist()

    def is_missing(value: Any) -> int:
        return 2 if value is None else int(isinstance(value, float) and math.isnan(value))

    for name, direction in reversed(by):
        known = [n for n in numbers if not is_missing(rows[n][name])]
        others = [n for n in numbers if is_missing(rows[n][name])]
        # Python keeps the order of equals in a reversed sort too.
        known.sort(key=lambda n: encoded(rows[n][name]), reverse=direction == "descending")
        is_first = placement == "at_start"
        others.sort(key=lambda n: is_missing(rows[n][name]), reverse=is_first)
        numbers = others + known if is_first else known + others
    return numbers


def encoded(value: Any) -> Any:
    return value.encode() if isinstance(value, str) else value


@drawn
@given(
    tables(),
    st.lists(st.sampled_from(["ascending", "descending"]), min_size=2, max_size=2),
    st.sampled_from(["at_start", "at_end"]),
    st.sampled_from([300, 1500, 1 << 20]),
)
def test_a_sort_is_that_of_whole_tables(
    tmp_path_factory, monkeypatch, drawn_table, directions, placement, memory
):
    monkeypatch.setattr(blobshuffle.operations, "MIN_OPERATION_MEMORY", 1)
    store = tmp_path_factory.mktemp("store")
    table, keys = drawn_table
    by: list[Any] = list(zip(keys, directions, strict=False))
    found = sort(
        table.to_reader(4), by, null_placement=placement, store=store, memory=memory
    ).read_all()
    found.validate(full=True)
    assert found.schema.equals(table.schema)
    assert found["row"].to_pylist() == order_of(table, by, placement)
    assert stored(store) == []


@pytest.mark.parametrize("kind", ["many", "few", "one"])
def test_rows_that_exceed_memory_are_sorted_and_ties_keep_their_order(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(blobshuffle.operations, "MIN_OPERATION_MEMORY", 1)
    random = np.random.default_rng(5)
    values = {"many": 1 << 40, "few": 3, "one": 1}[kind]
    texts = [None if n % 11 == 0 else f"{n:015d}" for n in random.integers(0, values, 30_000)]
    table = pa.table({"s": pa.array(texts), "row": range(30_000)})
    before = []
    found = sort(table, ["s"], store=tmp_path, memory=300_000)
    for batch in found:
        before.append(batch)
    rows = pa.Table.from_batches(before)
    expected = pc.call_function(
        "sort_indices", [table], pc.SortOptions([("s", "ascending", "at_end")])
    )
    assert rows["row"].to_pylist() == expected.to_pylist()
    assert stored(tmp_path) == []


def test_refs_are_sorted_without_being_written_whole_again_if_they_fit(tmp_path):
    table = pa.table({"k": [3, 1, None, 2], "x": ["c", "a", None, "b"]})
    refs = written(tmp_path, table, ["k"], 3)
    before = stored(tmp_path)
    assert sort(refs, [("k", "descending")]).read_all()["x"].to_pylist() == ["c", "b", "a", None]
    assert stored(tmp_path) == before


def test_an_illegal_sort_is_refused_at_once(tmp_path):
    table = pa.table({"k": [[1]], "v": ["a"]})
    cases: list[tuple[Any, Any, str]] = [
        ("k", TypeError, "Cannot sort by 'k'"),
        ("w", KeyError, "'w'"),
        ([], ValueError, "no column"),
        ([("v", "up")], ValueError, "ascending or descending"),
        ([("v",)], ValueError, "pass names"),
        (["v", "k"], TypeError, "Cannot sort by 'k'"),
    ]
    for by, failure, match in cases:
        with pytest.raises(failure, match=match):
            sort(table, by, store=tmp_path)
    placement: Any = "first"
    with pytest.raises(ValueError, match="at_start or at_end"):
        sort(table, "v", null_placement=placement, store=tmp_path)
