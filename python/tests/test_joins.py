"""Joins return what a join of whole tables by Python's own equality returns.

Drawn sides have keys of types of their own, nulls, NaN, ties and empty sides, and memory from a few
rows to all of them. Hypothesis prints how to repeat a failure.
"""

import dataclasses
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

import blobshuffle.joins
import blobshuffle.operations
from blobshuffle import (
    IncompleteShuffle,
    LocalStore,
    SchemaMismatch,
    ShuffleWriter,
    StoreUnavailable,
    join,
    new_shuffle,
    read,
    releasing,
    sizes,
    split,
)
from blobshuffle.joins import KINDS
from blobshuffle.keys import division_ids, partition_ids
from blobshuffle.rows import memory_of

drawn = settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    print_blob=True,
)

_SMALL = st.integers(0, 4)
_DAYS = [datetime.date(2026, 1, n) for n in (1, 2, 3)]
_TIMES = [datetime.datetime(2026, 1, n, microsecond=1000 * n) for n in (1, 2, 3)]
_BIG = [0, (1 << 53) + 1, 1 << 53, (1 << 63) - 1]

FAMILIES: dict[str, list[tuple[Any, st.SearchStrategy[Any]]]] = {
    "numbers": [
        (pa.int8(), _SMALL),
        (pa.int64(), _SMALL | st.sampled_from(_BIG)),
        (pa.uint64(), _SMALL | st.sampled_from([*_BIG, 1 << 63])),
        (pa.float64(), _SMALL.map(float) | st.sampled_from([0.5, -0.0, math.nan, 2.0**53])),
        (pa.dictionary(pa.int8(), pa.int32()), _SMALL),
        (pa.bool_(), st.booleans()),
    ],
    "whole decimals": [
        (pa.int32(), _SMALL),
        (pa.decimal128(10, 2), st.sampled_from(["0.00", "1.00", "1.50", "3.00"])),
        (pa.decimal128(38, 0), st.sampled_from(["0", "1", "12345678901234567890123"])),
        (pa.decimal256(50, 5), st.sampled_from(["0", "1.5", "1.00001", "3"])),
        (pa.decimal32(5, 2), st.sampled_from(["0.00", "1.00", "1.50", "3.00"])),
        (pa.decimal32(5, 0), st.sampled_from(["0", "1", "3"])),
        (pa.decimal64(10, 1), st.sampled_from(["0.0", "1.0", "1.5"])),
        (pa.dictionary(pa.int8(), pa.decimal128(5, 2)), st.sampled_from(["0.00", "1.50"])),
    ],
    "texts": [
        (pa.string(), st.sampled_from(["", "a", "b", "ä"])),
        (pa.large_string(), st.sampled_from(["", "a", "b", "ä"])),
        (pa.string_view(), st.sampled_from(["", "a", "more than twelve bytes"])),
        (pa.dictionary(pa.int8(), pa.string()), st.sampled_from(["", "a", "b", "ä"])),
        (pa.null(), st.none()),
    ],
    "bytes": [
        (pa.binary(), st.sampled_from([b"ab", b"abc"])),
        (pa.binary(2), st.sampled_from([b"ab", b"cd"])),
        (pa.binary_view(), st.sampled_from([b"ab", b"cd"])),
    ],
    "times": [
        (pa.timestamp("ms"), st.sampled_from(_TIMES)),
        (pa.timestamp("us"), st.sampled_from(_TIMES)),
        (pa.timestamp("ns"), st.sampled_from(_TIMES)),
    ],
    "dates": [
        (pa.date32(), st.sampled_from(_DAYS)),
        (pa.date64(), st.sampled_from(_DAYS)),
        (pa.dictionary(pa.int8(), pa.date32()), st.sampled_from(_DAYS)),
    ],
}


def made(values: list[Any], data_type: Any) -> Any:
    is_encoded = pa.types.is_dictionary(data_type)
    if pa.types.is_decimal(data_type.value_type if is_encoded else data_type):
        values = [None if value is None else decimal.Decimal(value) for value in values]
    if is_encoded:
        return pa.array(values, data_type.value_type).dictionary_encode().cast(data_type)
    return pa.array(values, data_type)


@st.composite
def sides(draw: Any) -> tuple[pa.Table, pa.Table, list[str]]:
    keys = ["k", "l"][: draw(st.integers(1, 2))]
    counts = [draw(st.integers(0, 10)) for _ in range(2)]
    columns: list[dict[str, Any]] = [{}, {}]
    for key in keys:
        family = FAMILIES[draw(st.sampled_from(sorted(FAMILIES)))]
        for rows, side in zip(counts, columns, strict=True):
            data_type, values = draw(st.sampled_from(family))
            chosen = draw(st.lists(st.none() | values, min_size=rows, max_size=rows))
            side[key] = made(chosen, data_type)
    for rows, side in zip(counts, columns, strict=True):
        side["x"] = pa.array(range(rows), pa.int64())
    return pa.table(columns[0]), pa.table(columns[1]), keys


def is_equal(one: Any, other: Any) -> bool:
    """Compare by value: 1 equals 1.0 and Decimal(1), and nothing equals None or NaN."""
    return one is not None and other is not None and one == other


def model(left: pa.Table, right: pa.Table, keys: list[str], how: str) -> list[tuple[Any, Any]]:
    """The pairs of row numbers that a join returns."""
    ones, others = left.select(keys).to_pylist(), right.select(keys).to_pylist()
    pairs = [
        (n, m)
        for n, one in enumerate(ones)
        for m, other in enumerate(others)
        if all(is_equal(one[key], other[key]) for key in keys)
    ]
    matched = {n for n, _ in pairs}, {m for _, m in pairs}
    if how in ("semi", "anti"):
        return [(n, None) for n in range(len(ones)) if (n in matched[0]) == (how == "semi")]
    if how in ("left", "full"):
        pairs += [(n, None) for n in range(len(ones)) if n not in matched[0]]
    if how in ("right", "full"):
        pairs += [(None, m) for m in range(len(others)) if m not in matched[1]]
    return pairs


def written(store, name, table, keys, partitions):
    with ShuffleWriter(
        store, shuffle=name, map=0, maps=1, partitions=partitions, schema=table.schema
    ) as writer:
        writer.write(table, keys=keys)
        return [writer.commit()]


def in_order(pairs):
    return sorted(pairs, key=lambda pair: tuple(-1 if n is None else n for n in pair))


@drawn
@given(
    sides(),
    st.sampled_from(sorted(KINDS)),
    st.integers(1, 3),
    st.sampled_from([300, 2000, 1 << 20]),
    st.booleans(),
)
def test_a_join_is_that_of_whole_tables(
    tmp_path_factory, monkeypatch, drawn_sides, how: Any, partitions, memory, are_refs
):
    monkeypatch.setattr(blobshuffle.operations, "MIN_OPERATION_MEMORY", 1)
    store = tmp_path_factory.mktemp("store")
    left, right, keys = drawn_sides
    operands: list[Any] = [left.to_reader(3), [right.slice(0, 4), right.slice(4)]]
    if are_refs:
        operands = [
            written(store, name, table, keys, partitions)
            for name, table in (("left", left), ("right", right))
        ]
    before = stored(store)
    try:
        rows = join(
            operands[0],
            operands[1],
            keys,
            how=how,
            store=store,
            partitions=partitions,
            memory=memory,
        ).read_all()
    except SchemaMismatch as refusal:
        assert how in ("right", "full") or "time" in str(refusal) or "date" in str(refusal), refusal
        assert "Cast" in str(refusal)
        return
    rows.validate(full=True)
    names = ["x", "x_right"][: 1 if how in ("semi", "anti") else 2]
    found = [(*row.values(), None)[:2] for row in rows.select(names).to_pylist()]
    assert in_order(found) == in_order(model(left, right, keys, how))
    for key in keys:
        for row in rows.to_pylist():
            side = (left, row["x"]) if row["x"] is not None else (right, row["x_right"])
            value = side[0][key][side[1]].as_py()
            assert row[key] == value or value != value
    assert stored(store) == before


def test_keys_of_different_types_lose_no_row(tmp_path):
    rows = 3000
    left = pa.table({"k": pa.array(range(rows), pa.int32()), "x": range(rows)})
    right = pa.table({"k": pa.array(range(0, 2 * rows, 2), pa.float64()), "y": range(rows)})
    found = join(left, right, "k", store=tmp_path, partitions=7)
    assert found.schema.names == ["k", "x", "y"]
    assert found.schema.field("k").type == pa.int32()
    assert sorted(found.read_all()["k"].to_pylist()) == list(range(0, rows, 2))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (pa.float64(), pa.decimal128(5, 2)),
        (pa.int64(), pa.string()),
        (pa.string(), pa.binary()),
        (pa.timestamp("us"), pa.timestamp("us", "UTC")),
        (pa.decimal256(76, 0), pa.decimal256(76, 76)),
        (pa.list_(pa.int64()), pa.list_(pa.int64())),
    ],
)
def test_keys_that_are_not_comparable_are_refused_before_a_byte_is_written(tmp_path, one, other):
    sides = [pa.table({"k": pa.array([], data_type)}) for data_type in (one, other)]
    with pytest.raises(SchemaMismatch, match=r"column 'k' of type .* Cast both"):
        join(sides[0], sides[1], "k", store=tmp_path)
    assert stored(tmp_path) == []


def test_a_full_join_refuses_keys_that_no_type_holds_exactly(tmp_path):
    sides = [pa.table({"k": [1]}), pa.table({"k": [1.0]})]
    with pytest.raises(SchemaMismatch, match="no type holds both exactly"):
        join(sides[0], sides[1], "k", how="full", store=tmp_path)
    assert join(sides[0], sides[1], "k", store=tmp_path).read_all().num_rows == 1


def test_keys_of_other_names_are_both_in_the_result(tmp_path):
    left, right = pa.table({"k": [1, 2], "v": ["a", "b"]}), pa.table({"m": [2.0, 3.0], "v": [7, 8]})
    found = join(left, right, "k", right_on="m", how="full", suffix="_2", store=tmp_path)
    rows = found.read_all().sort_by("k").to_pylist()
    assert rows == [
        {"k": 1, "v": "a", "m": None, "v_2": None},
        {"k": 2, "v": "b", "m": 2.0, "v_2": 7},
        {"k": None, "v": None, "m": 3.0, "v_2": 8},
    ]


def test_a_result_of_a_hundred_times_the_input_streams(tmp_path):
    side = pa.table({"k": [7] * 2000, "x": range(2000)})
    total = rows = 0
    for batch in join(side, side, "k", store=tmp_path, partitions=2):
        assert batch.num_rows <= 64 << 10
        rows += batch.num_rows
        total += pc.call_function("sum", [batch["x"]]).as_py()
    assert (rows, total) == (2000 * 2000, 2000 * sum(range(2000)))
    assert stored(tmp_path) == []


@pytest.mark.parametrize("how", sorted(KINDS))
@pytest.mark.parametrize("memory", [100_000, 16 << 20])
def test_a_join_with_a_hot_key_is_that_of_duckdb(tmp_path, monkeypatch, how: Any, memory):
    """With the smaller memory a partition is divided, and the hot key needs several passes."""
    monkeypatch.setattr(blobshuffle.operations, "MIN_OPERATION_MEMORY", 1)
    divided = []
    real = blobshuffle.joins.scratch
    monkeypatch.setattr(
        blobshuffle.joins, "scratch", lambda *args: divided.append(args) or real(*args)
    )
    random = np.random.default_rng(7)
    tables = []
    for rows in (6000, 4000):
        k = np.where(random.random(rows) < 0.06, 5, random.integers(0, 3000, rows))
        tables.append(
            pa.table({"k": pa.array(k, mask=random.random(rows) < 0.1), "x": range(rows)})
        )
    left, right = tables
    found = join(left, right, "k", how=how, store=tmp_path, partitions=2, memory=memory)
    with duckdb.connect() as connection:
        kind = {"full": "full outer"}.get(how, how)
        pair = "l.x, null::bigint y" if how in ("semi", "anti") else "l.x, r.x y"
        query = f"select {pair} from left_side l {kind} join right_side r on l.k = r.k"
        connection.register("left_side", left)
        connection.register("right_side", right)
        expected = connection.execute(query).fetchall()
    rows = found.read_all()
    other = rows["x_right"] if "x_right" in rows.column_names else pa.nulls(rows.num_rows)
    pairs = list(zip(rows["x"].to_pylist(), other.to_pylist(), strict=True))
    assert in_order(pairs) == in_order(expected)
    assert bool(divided) == (memory < 1 << 20)
    assert stored(tmp_path) == []


def test_sides_of_refs_are_left_as_they_are(tmp_path):
    table = pa.table({"k": range(100), "x": range(100)})
    left, right = (written(tmp_path, name, table, ["k"], 4) for name in ("left", "right"))
    before = stored(tmp_path)
    assert join(left, right, "k").read_all().num_rows == 100
    assert stored(tmp_path) == before


def test_refs_that_name_no_store_are_read_from_the_one_that_is_passed(tmp_path):
    table = pa.table({"k": range(100)})
    refs = [dataclasses.replace(ref, store=None) for ref in written(tmp_path, "s", table, ["k"], 4)]
    assert join(refs, refs, "k", store=tmp_path).read_all().num_rows == 100
    with pytest.raises(ValueError, match="names no store"):
        join(refs, refs, "k")


def test_refs_that_were_partitioned_otherwise_are_refused(tmp_path):
    table = pa.table({"k": range(100), "l": range(100, 0, -1)})
    left = written(tmp_path, "left", table, ["k"], 4)
    right = written(tmp_path, "right", table, ["l"], 4)
    with pytest.raises(IncompleteShuffle, match=r"partition 0 has rows whose keys belong to"):
        join(left, right, "k").read_all()
    other = written(tmp_path, "other", table, ["k"], 5)
    with pytest.raises(ValueError, match=r"\[4, 5\] partitions"):
        join(left, other, "k")


def test_a_disk_that_is_full_at_the_second_shuffle_leaves_nothing(tmp_path, monkeypatch):
    made = []

    def create(self, path):
        made.extend([path] if path.startswith("shuffles/") else [])
        if len(made) == 2:
            raise StoreUnavailable("Cannot write blob: No space left on device.")
        return real(self, path)

    real = LocalStore.create
    monkeypatch.setattr(LocalStore, "create", create)
    table = pa.table({"k": range(100)})
    reader = join(table, table, "k", store=tmp_path)
    with pytest.raises(StoreUnavailable, match="No space left"):
        reader.read_all()
    assert stored(tmp_path) == []


def test_a_join_that_is_cancelled_leaves_nothing(tmp_path):
    table = pa.table({"k": [1] * 1000, "x": range(1000)})
    reader = join(table, table, "k", store=tmp_path)
    assert stored(tmp_path) == []
    reader.read_next_batch()
    assert stored(tmp_path)
    del reader
    assert stored(tmp_path) == []


def test_sizes_are_those_of_the_rows_and_parts_cover_them(tmp_path):
    table = pa.table({"k": [1] * 90 + [2] * 10, "x": range(100)})
    with releasing(tmp_path, new_shuffle()) as name:
        refs = []
        for number in range(5):
            with ShuffleWriter(tmp_path, shuffle=name, map=number, maps=5, partitions=3) as writer:
                writer.write(table, keys="k")
                refs.append(writer.commit())
        found = sizes(refs)
        rows = [read(refs, number).read_all() for number in range(3)]
        assert found.rows.tolist() == [each.num_rows for each in rows]
        assert all((size >= each.nbytes) for size, each in zip(found.bytes, rows, strict=True))
        hot = int(np.argmax(found.rows))
        parts = split(refs, hot, int(found.bytes[hot]) // 2)
        assert parts == [range(0, 2), range(2, 4), range(4, 5)]
        again = pa.concat_tables(read(refs, hot, part=part).read_all() for part in parts)
        assert again.equals(rows[hot].combine_chunks()) or again == rows[hot]
        assert split(refs, hot, 1 << 40) == [range(5)]


NAN = float("nan")

PAIRS: list[tuple[Any, Any, list[tuple[int, int]]]] = [
    (pa.array([NAN, None, -0.0, 1.5]), pa.array([NAN, None, 0.0, 1.5]), [(2, 2), (3, 3)]),
    (pa.array([NAN, 1.5], pa.float32()), pa.array([1.5, NAN]), [(1, 0)]),
    (pa.array([0, 1, -(1 << 63)]), pa.array([0.5, 1.0, 2.0**63]), [(1, 1)]),
    (pa.array([(1 << 53) + 1, 1 << 53]), pa.array([2.0**53]), [(1, 0)]),
    (pa.array([1, (1 << 64) - 1], pa.uint64()), pa.array([1, -1]), [(0, 0)]),
    (pa.array([1, (1 << 64) - 1], pa.uint64()), pa.array([1.0, 2.0**64]), [(0, 0)]),
    (made(["1.50", "1.00"], pa.decimal128(5, 2)), pa.array([1, 2]), [(1, 0)]),
    (
        made(["1.50"], pa.decimal128(5, 2)),
        made(["1.5000", "1.5001"], pa.decimal256(60, 4)),
        [(0, 0)],
    ),
    (pa.array([1, 1001], pa.timestamp("ms")), pa.array([1], pa.timestamp("s")), []),
    (pa.array([1000, 1001], pa.timestamp("ms")), pa.array([1], pa.timestamp("s")), [(0, 0)]),
    (pa.array([1], pa.date32()), pa.array([86_400_000], pa.date64()), [(0, 0)]),
    (pa.array(["a", None]).dictionary_encode(), pa.array([None, "a"], pa.string_view()), [(0, 1)]),
    (pa.nulls(2), pa.nulls(2), []),
    (pa.nulls(1), pa.array(["a"]), []),
]


@pytest.mark.parametrize(("one", "other", "expected"), PAIRS)
def test_keys_match_by_value_in_one_partition(tmp_path, one, other, expected):
    left = pa.table({"k": one, "x": range(len(one))})
    right = pa.table({"k": other, "y": range(len(other))})
    found = join(left, right, "k", store=tmp_path, partitions=1).read_all()
    assert in_order(zip(found["x"].to_pylist(), found["y"].to_pylist(), strict=True)) == expected
    back = join(right, left, "k", store=tmp_path, partitions=1).read_all()
    assert back.num_rows == len(expected)


def test_a_null_in_any_of_several_keys_matches_nothing(tmp_path):
    left = pa.table({"k": [1, 1, None, 2, 2], "l": ["a", None, "a", "b", None], "x": range(5)})
    right = pa.table({"k": [1, 1, None, 2, 1], "l": ["a", None, "a", "c", "c"], "y": range(5)})
    for one, other in ((left, right), (right, left)):
        found = join(one, other, ["k", "l"], store=tmp_path, partitions=1).read_all()
        assert found.select(["x", "y"]).to_pylist() == [{"x": 0, "y": 0}]


def test_a_hot_key_is_held_in_chunks(tmp_path, monkeypatch):
    monkeypatch.setattr(blobshuffle.operations, "MIN_OPERATION_MEMORY", 1)
    held = []
    real = blobshuffle.joins._Index
    monkeypatch.setattr(
        blobshuffle.joins,
        "_Index",
        lambda batch, keys: held.append(memory_of(batch)) or real(batch, keys),
    )
    side = pa.table({"k": [1] * 3000})
    rows = join(side, side, "k", store=tmp_path, partitions=1, memory=40_000)
    assert sum(batch.num_rows for batch in rows) == 3000 * 3000
    assert max(held) <= 10_000
    assert sum(held) == memory_of(side)


def test_a_partition_is_divided_by_bits_that_it_has_not_used():
    batch = pa.record_batch({"k": range(200_000)})
    kept = partition_ids(batch, "k", 16).to_numpy() == 3
    for depth, least in ((0, 500), (1, 20)):
        parts = division_ids(batch, "k", 16, depth).to_numpy()
        assert np.bincount(parts[kept], minlength=16).min() > least
        kept &= parts == 5
