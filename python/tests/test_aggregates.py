"""Aggregations and sorts return those of whole tables, whatever memory they have."""

import datetime
import decimal
import math
import statistics
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
from blobshuffle import (
    SchemaMismatch,
    ShuffleWriter,
    aggregate,
    join,
    partition_ids,
    sort,
)

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
        "variance": statistics.variance(some) if len(some) > 1 else None,
        "deviation": statistics.stdev(some) if len(some) > 1 else None,
        "variance of all": statistics.pvariance(some) if some else None,
        "deviation of all": statistics.pstdev(some) if some else None,
    }


def summary_in_order(values: list[Any]) -> dict[str, Any]:
    some = [value for value in values if value is not None]
    return {
        "middle": statistics.median(some) if some else None,
        "high": float(np.quantile(some, 0.9)) if some else None,
        "different": len(set(some)),
        "every": values,
    }


def rounded(value: Any) -> Any:
    return round(value, 9) if isinstance(value, float) else value


AGGREGATES = {
    "total": ("v", "sum"),
    "average": ("v", "mean"),
    "least": ("v", "min"),
    "most": ("v", "max"),
    "known": ("v", "count"),
    "rows": ("v", "size"),
    "one": ("v", "first"),
    "end": ("v", "last"),
    "variance": ("v", "var"),
    "deviation": ("v", "std"),
    "variance of all": ("v", "var_pop"),
    "deviation of all": ("v", "std_pop"),
}

IN_ORDER: dict[str, Any] = {
    "middle": ("v", "median"),
    "high": ("v", "quantile", 0.9),
    "different": ("v", "count_distinct"),
    "every": ("v", "list"),
}


def written(store, table, keys, partitions):
    with ShuffleWriter(
        store, shuffle="s", map=0, maps=1, partitions=partitions, schema=table.schema
    ) as writer:
        writer.write(table, keys=keys)
        return [writer.commit()]


@drawn
@given(
    tables(),
    st.integers(1, 3),
    st.sampled_from([300, 1 << 20]),
    st.booleans(),
    st.sets(st.sampled_from(sorted(IN_ORDER))),
)
def test_an_aggregation_is_that_of_whole_tables(
    tmp_path_factory, monkeypatch, drawn_table, partitions, memory, are_refs, in_order
):
    monkeypatch.setattr(blobshuffle.operations, "MIN_OPERATION_MEMORY", 1)
    store = tmp_path_factory.mktemp("store")
    table, keys = drawn_table
    rows = written(store, table, keys, partitions) if are_refs else table.to_reader(4)
    before = stored(store)
    count = None if are_refs else partitions
    wanted = AGGREGATES | {name: IN_ORDER[name] for name in sorted(in_order)}
    reader = aggregate(rows, keys, wanted, store=store, partitions=count, memory=memory)
    assert [reader.schema.field(key).type for key in keys] == [table[key].type for key in keys]
    found = reader.read_all()
    found.validate(full=True)
    assert found.schema.names == [*keys, *wanted]
    expected = {
        key: {
            name: rounded(value)
            for name, value in (summary(values) | summary_in_order(values)).items()
            if name in wanted
        }
        for key, values in groups_of(table, keys).items()
    }
    results = {}
    for row in found.to_pylist():
        key = tuple(same_key(row[name]) for name in keys)
        assert key not in results
        results[key] = {name: rounded(row[name]) for name in wanted}
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


@pytest.mark.parametrize("keys", [1, 4, 20_000])
def test_rows_of_keys_that_exceed_memory_are_ordered_as_by_duckdb(tmp_path, monkeypatch, keys):
    monkeypatch.setattr(blobshuffle.operations, "MIN_OPERATION_MEMORY", 1)
    random = np.random.default_rng(4)
    rows = 60_000
    values = np.where(random.random(rows) < 0.1, np.nan, random.random(rows) * 100)
    table = pa.table(
        {
            "k": random.integers(0, keys, rows),
            "v": pa.array(values, mask=random.random(rows) < 0.1),
            "s": pa.array(
                [None if n % 9 == 0 else f"text {n}" for n in random.integers(0, 99, rows)]
            ),
            "row": range(rows),
        }
    )
    wanted: dict[str, Any] = {
        "q": ("v", "quantile", 0.25),
        "m": ("v", "median"),
        "d": ("s", "count_distinct"),
        "e": ("row", "list"),
        "t": ("row", "sum"),
        "x": ("v", "var"),
    }
    found = aggregate(table, "k", wanted, store=tmp_path, partitions=2, memory=400_000)
    with duckdb.connect() as connection:
        connection.register("rows", table)
        query = """
            select k, quantile_cont(v, 0.25) filter (not isnan(v)),
                median(v) filter (not isnan(v)), count(distinct s), list(row order by row),
                sum(row)::bigint from rows group by k order by k"""
        expected = connection.execute(query).fetchall()
    ordered = found.read_all().sort_by("k")
    columns = [ordered[name].to_pylist() for name in ("k", "q", "m", "d", "e", "t")]
    assert [*zip(*columns, strict=True)] == [
        (k, pytest.approx(q), pytest.approx(m), *rest) for k, q, m, *rest in expected
    ]
    assert stored(tmp_path) == []


def test_values_of_all_types_are_counted_and_listed(tmp_path):
    columns = {
        "text": pa.array(["a", None, "a", "b"], pa.string_view()),
        "category": pa.array(["a", "b", None, "a"]).dictionary_encode(),
        "price": pa.array([1, 2, None, 1], pa.decimal32(5, 2)),
        "day": pa.array([1, None, 1, 1], pa.date32()),
        "flag": pa.array([True, None, False, True]),
        "nothing": pa.nulls(4),
    }
    table = pa.table({"k": [1, 1, 1, 1], **columns})
    wanted: dict[str, Any] = {f"{name} n": (name, "count_distinct") for name in columns}
    wanted |= {f"{name} all": (name, "list") for name in columns}
    (found,) = aggregate(table, "k", wanted, store=tmp_path).read_all().to_pylist()
    for name, column in columns.items():
        assert found[f"{name} n"] == len({*column.to_pylist()} - {None})
        assert found[f"{name} all"] == column.to_pylist()


def test_variances_of_near_values_that_are_merged_are_exact(tmp_path):
    parts = [pa.table({"k": [1, 1], "v": [1e9 + 2 * n, 1e9 + 2 * n + 1]}) for n in range(50)]
    wanted = {"x": ("v", "var"), "y": ("v", "std_pop")}
    (found,) = aggregate(parts, "k", wanted, store=tmp_path).read_all().to_pylist()
    assert found["x"] == pytest.approx(np.var(range(100), ddof=1), rel=1e-12)
    assert found["y"] == pytest.approx(np.std(range(100)), rel=1e-12)


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
        (("v", {"x": ("v", "mode")}), ValueError, "legal are sum, mean.*quantile"),
        (("v", {"x": ("v", "median")}), TypeError, "column 'v' of type string by 'median'"),
        (("v", {"x": ("v", "std")}), TypeError, "column 'v' of type string by 'std'"),
        (("v", {"x": ("k", "count_distinct")}), TypeError, "Cannot aggregate by .*'k' of type l"),
        (("v", {"x": ("w", "list")}), KeyError, r"aggregate column 'w': .* \['k', 'v'\]"),
        (("v", {"x": ("w", "sum")}), KeyError, r"aggregate column 'w': .* \['k', 'v'\]"),
        (("v", {"x": ("k", "quantile")}), ValueError, "a quantile needs a share"),
        (("v", {"x": ("k", "sum", 0.5)}), ValueError, "no other function has one"),
        (("v", {"x": ("k", "quantile", 2)}), ValueError, "share 2 is not from 0 to 1"),
        (("v", {"v": ("v", "list")}), ValueError, "named twice"),
        (("v", {"v": ("v", "min")}), ValueError, "named twice"),
        (("k", {"x": ("v", "size")}), TypeError, "Cannot aggregate columns"),
        (("v", {"x": ("v", "sum")}), TypeError, "Cast them"),
        (("v", {"x": "sum"}), ValueError, "pass a column and a function"),
        (("v", {"x": ("v", "mean")}), TypeError, "column 'v' of type string by 'mean'"),
        (("w", {"x": ("v", "sum")}), KeyError, r"group by column 'w': .* \['k', 'v'\]"),
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


def test_each_key_has_its_own_values_if_others_have_nulls(tmp_path):
    table = pa.table({"k": ["a", "b", "a"], "l": [None, 2.0, 2.0], "v": [1, 2, 3]})
    wanted = {
        "middle": ("v", "median"),
        "different": ("v", "count_distinct"),
        "every": ("v", "list"),
    }
    for rows in table, table.to_reader(1):
        found = aggregate(rows, ["k", "l"], wanted, store=tmp_path, partitions=1).read_all()
        assert sorted(found.to_pylist(), key=lambda row: row["middle"]) == [
            {"k": "a", "l": None, "middle": 1, "different": 1, "every": [1]},
            {"k": "b", "l": 2, "middle": 2, "different": 1, "every": [2]},
            {"k": "a", "l": 2, "middle": 3, "different": 1, "every": [3]},
        ]


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
    expected = pc.call_function("sort_indices", [table], pc.SortOptions([("s", "ascending")]))
    assert rows["row"].to_pylist() == expected.to_pylist()
    assert stored(tmp_path) == []


def test_refs_are_sorted_without_being_written_whole_again_if_they_fit(tmp_path):
    table = pa.table({"k": [3, 1, None, 2], "x": ["c", "a", None, "b"]})
    refs = written(tmp_path, table, ["k"], 3)
    before = stored(tmp_path)
    assert sort(refs, [("k", "descending")]).read_all()["x"].to_pylist() == ["c", "b", "a", None]
    assert stored(tmp_path) == before


def test_a_name_of_several_columns_is_refused_with_the_columns(tmp_path):
    table = pa.Table.from_arrays([pa.array([1])] * 3, names=["k", "v", "v"])
    for operation in (
        lambda: aggregate(table, "k", {"x": ("v", "sum")}, store=tmp_path),
        lambda: aggregate(table, "v", {"x": ("k", "median")}, store=tmp_path),
        lambda: sort(table, "v", store=tmp_path),
        lambda: join(table, table, "v", store=tmp_path),
        lambda: partition_ids(table, "v", 2),
    ):
        with pytest.raises(KeyError, match=r"column 'v': 2 .* have that name.*'v', 'v'\]"):
            operation()


def test_an_illegal_sort_is_refused_at_once(tmp_path):
    table = pa.table({"k": [[1]], "v": ["a"]})
    cases: list[tuple[Any, Any, str]] = [
        ("k", TypeError, "Cannot sort by 'k'"),
        ("w", KeyError, r"sort by column 'w': .* \['k', 'v'\]"),
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
