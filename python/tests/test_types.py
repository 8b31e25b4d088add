"""Columns of every type that Arrow has come back as they were."""

import decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from shuffles import read_all, write

from blobshuffle import ShuffleWriter, read
from blobshuffle.footer import read_container
from blobshuffle.store import open_store

ROWS = 1000
NUMBERS = [None if i % 11 == 0 else i for i in range(ROWS)]
TEXTS = [None if i is None else "long enough for a buffer " * (i % 3) + str(i) for i in NUMBERS]


def run_end_encoded():
    compute: object = pc
    return compute.run_end_encode(pa.array([i // 7 for i in range(ROWS)]))  # type: ignore[attr-defined]


COLUMNS = {
    "null": lambda: pa.nulls(ROWS),
    "bool": lambda: pa.array([None if i is None else i % 2 == 0 for i in NUMBERS]),
    "float16": lambda: pa.array(np.arange(ROWS, dtype=np.float16)),
    "decimal": lambda: pa.array([None if i is None else decimal.Decimal(i) for i in NUMBERS]),
    "timestamp": lambda: pa.array(NUMBERS, pa.timestamp("us", "Europe/Berlin")),
    "interval": lambda: pa.array([(i, 2, 3) for i in range(ROWS)], pa.month_day_nano_interval()),
    "string": lambda: pa.array(TEXTS),
    "large_string": lambda: pa.array(TEXTS, pa.large_string()),
    "binary": lambda: pa.array([None if t is None else t.encode() for t in TEXTS]),
    "fixed_size_binary": lambda: pa.array([b"%8d" % i for i in range(ROWS)], pa.binary(8)),
    "string_view": lambda: pa.array(TEXTS, pa.string_view()),
    "binary_view": lambda: pa.array([None if t is None else t.encode() for t in TEXTS]).cast(
        pa.binary_view()
    ),
    "list": lambda: pa.array([None if i is None else list(range(i % 5)) for i in NUMBERS]),
    "large_list": lambda: pa.array([[i] * (i % 3) for i in range(ROWS)], pa.large_list(pa.int16())),
    "fixed_size_list": lambda: pa.array([[i, None] for i in NUMBERS], pa.list_(pa.int64(), 2)),
    "struct": lambda: pa.array([None if i is None else {"a": i, "b": [str(i)]} for i in NUMBERS]),
    "struct of views": lambda: pa.array(
        [{"a": t, "b": 1} for t in TEXTS],
        pa.struct([("a", pa.string_view()), ("b", pa.int8())]),
    ),
    "list of views": lambda: pa.array([[t] for t in TEXTS], pa.list_(pa.string_view())),
    "map": lambda: pa.array([[(str(i), i)] for i in NUMBERS], pa.map_(pa.string(), pa.int64())),
    "sparse union": lambda: pa.UnionArray.from_sparse(
        pa.array([i % 2 for i in range(ROWS)], pa.int8()),
        [pa.array(range(ROWS)), pa.array([str(i) for i in range(ROWS)])],
    ),
    "dense union": lambda: pa.UnionArray.from_dense(
        pa.array([i % 2 for i in range(ROWS)], pa.int8()),
        pa.array([i // 2 for i in range(ROWS)], pa.int32()),
        [pa.array(range(ROWS // 2)), pa.array([str(i) for i in range(ROWS // 2)])],
    ),
    "dictionary": lambda: pa.array([t and t[-1] for t in TEXTS]).dictionary_encode(),
    "dictionary in struct": lambda: pa.StructArray.from_arrays(
        [pa.array([t and t[-1] for t in TEXTS]).dictionary_encode()], ["a"]
    ),
    "dictionary in list": lambda: pa.ListArray.from_arrays(
        pa.array(range(ROWS + 1), pa.int32()),
        pa.array([t and t[-1] for t in TEXTS]).dictionary_encode(),
    ),
    "run_end_encoded": run_end_encoded,
    "uuid": lambda: pa.array([b"%16d" % i for i in range(ROWS)], pa.uuid()),
}


@pytest.mark.parametrize("codec", ["none", "lz4", "zstd"])
@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_comes_back(tmp_path, name, codec):
    column = COLUMNS[name]()
    data = pa.table({"column": column, "row": range(ROWS)})
    ref = write(tmp_path, data, 4, batches=3, codec=codec)
    for partition, part in enumerate(read_all([ref], 4)):
        part.validate(full=True)
        assert part.schema.equals(data.schema)
        assert part["column"].to_pylist() == column.to_pylist()[partition::4]


def test_views_carry_only_their_rows(tmp_path):
    texts = [f"{i:0100d}" for i in range(10_000)]
    ref = write(tmp_path, pa.table({"x": pa.array(texts, pa.string_view())}), 100, codec="none")
    assert ref.length < 2 * 100 * len(texts)


def test_list_views_are_refused_with_a_remedy(tmp_path):
    column = pa.array([[1], [2, 3]], pa.list_view(pa.int64()))
    with pytest.raises(TypeError, match="Cast the column to a list first"):
        write(tmp_path, pa.table({"x": column}), 1)


def flags(values, rows, index=None):
    index = index or pa.int8()
    indices = pa.array([i % len(values) for i in range(rows)], index)
    return pa.DictionaryArray.from_arrays(indices, pa.array(values))


def prelude_types(store, ref):
    """The types of the messages before the first segment."""
    source = open_store(store).open(ref.path)
    container, _ = read_container(source)
    assert container.prelude is not None
    data = pa.BufferReader(source.read(0, container.prelude.length))
    types = []
    while data.tell() < container.prelude.length:
        types.append(pa.ipc.read_message(data).type)
    return types


def shuffle(tmp_path, columns, codec: Any = "lz4", **options):
    """Write a column batch by batch; return its ref and what partition 1 of 2 should have."""
    expected = []
    with ShuffleWriter(
        tmp_path, shuffle="s", map=0, maps=1, partitions=2, codec=codec, **options
    ) as writer:
        for column in columns:
            writer.write(pa.record_batch({"x": column}), pa.array(np.arange(len(column)) % 2))
            expected += column.to_pylist()[1::2]
        return writer.commit(), expected


@pytest.mark.parametrize("codec", ["none", "lz4", "zstd"])
def test_a_dictionary_that_all_batches_share_is_stored_once(tmp_path, codec):
    ref, expected = shuffle(tmp_path, [flags(["a", "b", "c"], 100) for _ in range(5)], codec)
    assert prelude_types(tmp_path, ref) == ["schema", "dictionary"]
    assert read([ref], 1).read_all()["x"].to_pylist() == expected


@pytest.mark.parametrize("codec", ["none", "lz4", "zstd"])
def test_dictionaries_that_differ_come_back(tmp_path, codec):
    ref, expected = shuffle(tmp_path, [flags("abc", 100), flags("xy", 50), flags("a", 3)], codec)
    assert prelude_types(tmp_path, ref) == ["schema"]
    assert read([ref], 1).read_all()["x"].to_pylist() == expected


@pytest.mark.parametrize("codec", ["none", "zstd"])
def test_dictionaries_that_differ_after_a_spill_come_back(tmp_path, codec):
    columns = [flags(["a", "b"], 600_000, pa.int64())] * 2 + [
        flags(["x", "y", "z"], 10, pa.int64())
    ]
    ref, expected = shuffle(tmp_path, columns, codec, memory=4 << 20)
    assert prelude_types(tmp_path, ref) == ["schema"]
    assert read([ref], 1).read_all()["x"].to_pylist() == expected
    with pa.OSFile(str(tmp_path / ref.path)) as file:
        assert pa.ipc.open_stream(file).read_all().num_rows == ref.rows


def test_dictionaries_too_many_for_one_index_come_back(tmp_path):
    columns = [flags([f"{n}-{i}" for i in range(100)], 200) for n in range(4)]
    ref, expected = shuffle(tmp_path, columns)
    assert read([ref], 1).read_all()["x"].to_pylist() == expected


def test_a_large_dictionary_is_stored_by_what_frames_use(tmp_path):
    values = [f"{i:0100d}" for i in range(50_000)]
    column = flags(values, 100, pa.int32())
    ref, expected = shuffle(tmp_path, [column], "none")
    assert ref.length < 100_000
    assert read([ref], 1).read_all()["x"].to_pylist() == expected
