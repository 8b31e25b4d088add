"""Keys decide the partition, in every version and on every machine alike."""

import datetime

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
    """The definition in docs/guides/python.md, one row at a time."""
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
        pa.array([1, None], pa.float16()),
    ]
    for column in columns:
        assert ids(column)[1] == reference(None)


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
