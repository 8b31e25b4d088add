"""Keys decide the partition, in every version and on every machine alike."""

import contextlib
import datetime
import decimal
import fractions
import math
import pathlib
import re
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blobshuffle import partition_ids

PARTITIONS = 1 << 20


def ids(column, partitions=PARTITIONS):
    return partition_ids(pa.record_batch({"x": column}), ["x"], partitions).to_pylist()


def reference(key, partitions=PARTITIONS):
    """The definition in docs/format.md, one row at a time."""
    mask = (1 << 64) - 1

    def mix(word):
        word = (word + 0x9E3779B97F4A7C15) & mask
        word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & mask
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & mask
        return word ^ (word >> 31)

    if key is None:
        value = 0x632BE59BD9B4E019
    elif isinstance(key, bytes):
        value = mix(len(key))
        for at in range(0, len(key), 8):
            value = mix(value ^ int.from_bytes(key[at : at + 8], "little"))
    else:
        value = mix(key & mask)
    return (mix(0x9E3779B97F4A7C15 ^ value) >> 32) * partitions >> 32


@given(st.lists(st.none() | st.integers(-(1 << 63), (1 << 63) - 1)))
def test_integers(values):
    assert ids(pa.array(values, pa.int64())) == [reference(value) for value in values]


@given(st.lists(st.none() | st.binary(max_size=40)), st.integers(0, 3))
def test_bytes(values, start):
    expected = [reference(value) for value in values[start:]]
    for data_type in (pa.binary(), pa.large_binary(), pa.binary_view()):
        assert ids(pa.array(values, data_type).slice(start)) == expected


def test_golden_partitions():
    assert ids(pa.array([0, 1, -1, None]), 1000) == [reference(v, 1000) for v in (0, 1, -1, None)]
    assert ids(pa.array(["", "a", "blobshuffle"]), 1000) == GOLDEN_TEXTS
    assert ids(pa.array([0, 1, -1, None]), 1000) == GOLDEN_NUMBERS


GOLDEN_TEXTS = [490, 51, 246]
GOLDEN_NUMBERS = [490, 163, 781, 43]


def test_widths_do_not_matter():
    expected = ids(pa.array([1, 2, None], pa.int64()))
    for data_type in (pa.int8(), pa.uint16(), pa.int32(), pa.uint64()):
        assert ids(pa.array([1, 2, None], data_type)) == expected
    assert ids(pa.array([1.5, None], pa.float32())) == ids(pa.array([1.5, None], pa.float64()))
    texts = ["a", None, "long enough for a view's own buffer"]
    expected = ids(pa.array(texts))
    for data_type in (pa.large_string(), pa.string_view(), pa.binary()):
        assert ids(pa.array(texts).cast(data_type)) == expected
    assert ids(pa.array(texts).dictionary_encode()) == expected
    assert ids(pa.array(["a", "a"]).dictionary_encode()) == ids(pa.array(["a", "a"]))


def test_equal_floats_are_equal():
    values = pa.array([0.0, -0.0, float("nan"), np.frombuffer(b"\1\0\0\0\0\0\xf8\xff", "f8")[0]])
    zero, other, nan, payload = ids(values)
    assert zero == other
    assert nan == payload


def test_types_with_a_hash():
    day = datetime.date(2026, 1, 1)
    columns = [
        pa.array([True, None]),
        pa.array([day, None]),
        pa.array([datetime.datetime(2026, 1, 1), None]),
        pa.array([datetime.time(1, 2), None]),
        pa.array([datetime.timedelta(1), None]),
        pa.array([1, None]).cast(pa.decimal128(21, 2)),
        pa.array([b"ab", None], pa.binary(2)),
        pa.array([b"0" * 16, None], pa.uuid()),
        pa.nulls(2),
        pa.array([np.float16(1), None], pa.float16()),
    ]
    for column in columns:
        assert ids(column)[1] == reference(None)


DOCUMENT = pathlib.Path(__file__).parents[2] / "docs/format.md"


def vectors():
    """Kind, value, hash and partition of each row of the table in docs/format.md."""
    chapter = DOCUMENT.read_text("utf-8").split("## Partitions of keys")[1].split("\n## ")[0]
    table = chapter.split("| type | value | hash |")[1]
    rows = re.findall(r"^\| (\w+) \| (?:`(.*)`)? ?\| `(\w{16})` \| (\d+) \|$", table, re.MULTILINE)
    assert len(rows) > 40
    return rows


def column_of(kind, text) -> pa.Array:
    if kind == "time":
        number, unit = text.split()
        if unit == "d":
            return pa.array([int(number)], pa.int32()).view(pa.date32())
        return pa.array([int(number)], pa.int64()).view(pa.timestamp(unit))
    columns = {
        "null": lambda: pa.nulls(1),
        "boolean": lambda: pa.array([text == "true"]),
        "integer": lambda: pa.array([int(text)], pa.uint64() if int(text) >> 63 > 0 else None),
        "float": lambda: pa.array([float(text)]),
        "decimal": lambda: pa.array([decimal.Decimal(text)]),
        "string": lambda: pa.array([text]),
        "binary": lambda: pa.array([bytes.fromhex(text)]),
    }
    return columns[kind]()


@pytest.mark.parametrize(("kind", "text", "hexadecimal", "partition"), vectors())
def test_the_table_in_the_format_is_right(kind, text, hexadecimal, partition):
    column = column_of(kind, text)
    assert ids(column, 1000) == [int(partition)]
    assert ids(column) == [row(int(hexadecimal, 16))]


def row(value):
    """The partition of a row with a key of this hash."""
    mask = (1 << 64) - 1
    word = ((0x9E3779B97F4A7C15 ^ value) + 0x9E3779B97F4A7C15) & mask
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & mask
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & mask
    return ((word ^ (word >> 31)) >> 32) * PARTITIONS >> 32


NUMBERS = (
    st.integers(-(1 << 63), (1 << 64) - 1)
    | st.floats()
    | st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=-1e9, max_value=1e9)
    | st.booleans()
)


@given(NUMBERS)
def test_equal_numbers_of_all_types_have_one_partition(value):
    column = column_of_number(value)
    expected = ids(column)
    for data_type in (pa.int8(), pa.int64(), pa.uint64(), pa.float32(), pa.float64()):
        with contextlib.suppress(pa.ArrowInvalid, pa.ArrowNotImplementedError):
            other = column.cast(data_type)
            found = other[0].as_py()
            if math.isfinite(found) and fractions.Fraction(found) == fractions.Fraction(value):
                assert ids(other) == expected
    if math.isfinite(value):
        digits = decimal.Decimal(value)
        with contextlib.suppress(pa.ArrowInvalid):
            assert ids(pa.array([digits])) == expected
            with decimal.localcontext(decimal.Context(prec=2000)):
                longer = digits * decimal.Decimal("1.0")
            assert ids(pa.array([longer])) == expected


def column_of_number(value) -> Any:
    return pa.array(
        [value], pa.uint64() if not isinstance(value, bool) and is_long(value) else None
    )


def is_long(value):
    return isinstance(value, int) and value >= 1 << 63


@given(st.integers(-(1 << 33), 1 << 33))
def test_equal_times_of_all_units_have_one_partition(seconds):
    units = {"s": 1, "ms": 10**3, "us": 10**6}
    for make in (pa.timestamp, pa.duration):
        found = [
            ids(pa.array([seconds * scale], pa.int64()).view(make(unit)))
            for unit, scale in units.items()
        ]
        assert found[0] == found[1] == found[2]


def test_a_day_is_the_instant_at_which_it_begins():
    day, instant = datetime.date(2026, 1, 2), datetime.datetime(2026, 1, 2)
    expected = ids(pa.array([instant]))
    assert ids(pa.array([day])) == expected
    assert ids(pa.array([day]).cast(pa.date64())) == expected


def test_a_missing_number_is_a_null():
    assert ids(pa.array([float("nan")])) == ids(pa.nulls(1))


def test_one_column_may_be_named_by_a_string():
    batch = pa.record_batch({"ab": [1], "a": [2], "b": [3]})
    assert partition_ids(batch, "ab", PARTITIONS) == partition_ids(batch, ["ab"], PARTITIONS)


def test_types_without_a_hash_are_refused():
    for column in (pa.array([[1]]), pa.array([{"a": 1}])):
        with pytest.raises(TypeError, match="pass partition_ids"):
            ids(column)


def test_several_keys_and_their_order_matter():
    batch = pa.record_batch({"a": [1, 2], "b": [2, 1]})
    first, second = partition_ids(batch, ["a", "b"], PARTITIONS).to_pylist()
    assert first != second
    assert partition_ids(batch, ["b", "a"], PARTITIONS).to_pylist() == [second, first]


def test_partitions_are_even():
    for column in (pa.array(range(100_000)), pa.array([f"key {i}" for i in range(100_000)])):
        counts = np.bincount(ids(column, 100))
        assert counts.min() > 850
        assert counts.max() < 1150


@pytest.mark.parametrize("scale", [0, 2])
def test_decimals_of_each_width_have_one_partition(scale):
    values = [decimal.Decimal(each) for each in (0, 1, -3, 12, 999)]
    types = [pa.decimal32(9, scale), pa.decimal64(18, scale), pa.decimal128(20, scale)]
    found = [
        partition_ids(pa.record_batch({"k": pa.array(values, each)}), "k", 100).to_pylist()
        for each in [*types, pa.decimal256(50, scale)]
    ]
    integers = pa.record_batch({"k": [int(each) for each in values]})
    assert [*found] == [partition_ids(integers, "k", 100).to_pylist()] * 4
