"""Columns of every type that Arrow has come back as they were."""

import decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from shuffles import read_all, stored, write

import blobshuffle.arrow
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
    "string_view of short": lambda: pa.array([None if i is None else "a" for i in NUMBERS]).cast(
        pa.string_view()
    ),
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
    "runs in struct": lambda: pa.StructArray.from_arrays([run_end_encoded()], ["a"]),
    "runs in list": lambda: pa.ListArray.from_arrays(
        pa.array(range(ROWS + 1), pa.int32()), run_end_encoded()
    ),
    "list of lists of views": lambda: pa.array(
        [None if t is None else [[t], None, [t, None]] for t in TEXTS],
        pa.list_(pa.list_(pa.string_view())),
    ),
    "views in map": lambda: pa.array(
        [None if t is None else [("k", t)] for t in TEXTS], pa.map_(pa.string(), pa.string_view())
    ),
    "views in fixed size list": lambda: pa.array(
        [None if t is None else [t, None] for t in TEXTS], pa.list_(pa.string_view(), 2)
    ),
    "views in dictionary": lambda: pa.DictionaryArray.from_arrays(
        pa.array([None if i is None else i % 3 for i in NUMBERS]),
        pa.array(["a", "longer than twelve bytes", None], pa.string_view()),
    ),
    "views in sparse union": lambda: pa.UnionArray.from_sparse(
        pa.array([i % 2 for i in range(ROWS)], pa.int8()),
        [pa.array(range(ROWS)), pa.array(TEXTS, pa.string_view())],
    ),
    "views in dense union": lambda: pa.UnionArray.from_dense(
        pa.array([i % 2 for i in range(ROWS)], pa.int8()),
        pa.array([i // 2 for i in range(ROWS)], pa.int32()),
        [pa.array(range(ROWS // 2)), pa.array(TEXTS[: ROWS // 2], pa.string_view())],
    ),
    "list_view": lambda: pa.array(
        [None if i is None else list(range(i % 4)) for i in NUMBERS], pa.list_view(pa.int64())
    ),
    "large_list_view of views": lambda: pa.array(
        [[t] for t in TEXTS], pa.large_list_view(pa.string_view())
    ),
    "list_view out of order": lambda: pa.ListViewArray.from_arrays(
        list(range(ROWS - 1, -1, -1)), [1] * ROWS, pa.array(range(ROWS))
    ),
    "opaque views": lambda: pa.ExtensionArray.from_storage(
        pa.opaque(pa.string_view(), "kind", "vendor"), pa.array(TEXTS, pa.string_view())
    ),
    "tensor": lambda: pa.ExtensionArray.from_storage(
        pa.fixed_shape_tensor(pa.int32(), [2]),
        pa.array([[i, i] for i in range(ROWS)], pa.list_(pa.int32(), 2)),
    ),
    "opaque dictionary": lambda: pa.ExtensionArray.from_storage(
        pa.opaque(pa.dictionary(pa.int32(), pa.string()), "kind", "vendor"),
        pa.array([t and t[-1] for t in TEXTS]).dictionary_encode(),
    ),
    "json": lambda: pa.ExtensionArray.from_storage(
        pa.json_(), pa.array([f'{{"a": {i}}}' for i in range(ROWS)])
    ),
    "dictionary in map": lambda: pa.MapArray.from_arrays(
        pa.array(range(ROWS + 1), pa.int32()),
        pa.array([str(i) for i in range(ROWS)]),
        pa.array([t and t[-1] for t in TEXTS]).dictionary_encode(),
    ),
    "dictionary of structs": lambda: pa.DictionaryArray.from_arrays(
        pa.array([i % 2 for i in range(ROWS)]), pa.array([{"a": 1}, {"a": 2}])
    ),
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


def test_views_stay_uncompressed_if_this_pyarrow_cannot_compress_them(tmp_path, monkeypatch):
    monkeypatch.setattr(blobshuffle.arrow, "_COMPRESSES_VIEWS", False)
    lengths = {}
    for name, data_type in ("views", pa.string_view()), ("plain", pa.string()):
        for codec in "none", "lz4":
            data = pa.table({"x": pa.array(["a"] * 10_000).cast(data_type)})
            ref = write(tmp_path / f"{name}-{codec}", data, 1, codec=codec)
            assert next(iter(read_all([ref], 1))).equals(data)
            lengths[name, codec] = ref.length
    assert lengths["views", "lz4"] == lengths["views", "none"]
    assert lengths["plain", "lz4"] < lengths["plain", "none"]


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (
            lambda: pa.DictionaryArray.from_arrays(
                pa.array([0, 1]), pa.array(["a", "b"]).dictionary_encode()
            ),
            "column 'x' of type dictionary.*Cast its values to a type without dictionaries",
        ),
        (
            lambda: pa.RunEndEncodedArray.from_arrays(
                pa.array([1, 2], pa.int32()), pa.array(["a", "b"]).dictionary_encode()
            ),
            "column 'x' of type run_end_encoded.*Cast the column to a type without runs",
        ),
    ],
)
def test_types_that_cannot_come_back_are_refused_with_column_and_remedy(tmp_path, column, message):
    with pytest.raises(TypeError, match=message):
        write(tmp_path, pa.table({"x": column()}), 1)
    assert stored(tmp_path) == []


def test_ordered_dictionaries_that_differ_are_refused_before_a_row_is_taken(tmp_path):
    indices = pa.array([0, 1, 0], pa.int8())
    one, other = (
        pa.table({"x": pa.DictionaryArray.from_arrays(indices, pa.array(values), ordered=True)})
        for values in (["low", "high"], ["high", "low"])
    )
    with ShuffleWriter(tmp_path, shuffle="s", map=0, maps=1, partitions=1) as writer:
        writer.write(one, [0] * 3)
        with pytest.raises(ValueError, match=r"column 'x' is an ordered dictionary.*cast it"):
            writer.write(other, [0] * 3)
        writer.write(one, [0] * 3)
        ref = writer.commit()
    rows = read([ref], 0).read_all()["x"]
    assert rows.to_pylist() == ["low", "high", "low"] * 2
    assert rows.chunk(0).dictionary.to_pylist() == ["low", "high"]


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
    """Write a column batch by batch; return its ref and the expected rows of partition 1 of 2."""
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


def identifiers(count, prefix="customer"):
    return pa.array([f"{prefix}-number-{i:030d}" for i in range(count)])


def nested_in(kind, column):
    if kind == "struct":
        return pa.StructArray.from_arrays([column], ["a"])
    if kind == "list":
        offsets = pa.array(range(len(column) + 1), pa.int32())
        return pa.ListArray.from_arrays(offsets, column)
    if kind == "union":
        codes = pa.array(np.zeros(len(column), np.int8))
        return pa.UnionArray.from_sparse(codes, [column])
    return column


@pytest.mark.parametrize("kind", ["plain", "struct", "list", "union"])
@pytest.mark.parametrize("dictionary_of_each_batch", [False, True])
def test_many_categories_cost_little_more_than_plain_strings(
    tmp_path, kind, dictionary_of_each_batch
):
    values, random = identifiers(100_000), np.random.default_rng(1)
    columns = [
        pa.DictionaryArray.from_arrays(
            pa.array(random.integers(0, len(values), 5_000).astype(np.int32)),
            identifiers(len(values), f"batch {n}") if dictionary_of_each_batch else values,
        )
        for n in range(8)
    ]

    def stored_with(name, columns):
        with ShuffleWriter(
            tmp_path, shuffle=name, map=0, maps=1, partitions=20, codec="none", memory=8 << 20
        ) as writer:
            for n, column in enumerate(columns):
                ids = np.random.default_rng(n).integers(0, 20, len(column))
                writer.write(pa.table({"x": nested_in(kind, column)}), ids)
            spilled = writer.spilled_bytes
            ref = writer.commit()
        container, _ = read_container(open_store(tmp_path).open(ref.path))
        frames = sum(max(1, len(segment.frames)) for segment in container.segments)
        rows = [read([ref], p).read_all()["x"].to_pylist() for p in range(20)]
        return ref.length, frames, spilled, rows

    plain = stored_with("plain", [column.dictionary_decode() for column in columns])
    encoded = stored_with("encoded", columns)
    assert encoded[3] == plain[3]
    assert encoded[0] <= 2 * plain[0]
    assert encoded[1] <= 2 * plain[1]
    assert encoded[2] <= 2 * plain[2]


def test_a_large_dictionary_of_few_values_is_not_gathered_as_plain_values(tmp_path):
    values = pa.array([f"{i:04d}" * 1000 for i in range(600)])
    column = pa.DictionaryArray.from_arrays(pa.array(np.arange(60_000) % 600), values)
    with ShuffleWriter(
        tmp_path, shuffle="s", map=0, maps=1, partitions=4, codec="none", memory=8 << 20
    ) as writer:
        writer.write(pa.table({"x": column}), np.arange(60_000) % 4)
        ref = writer.commit()
    assert ref.length < 20 << 20
    assert sum(len(b) for b in read([ref], 3)) == 15_000


def test_plain_values_are_divided_where_an_index_is_too_small(tmp_path):
    columns = [
        pa.DictionaryArray.from_arrays(
            pa.array(np.arange(100) % 120, pa.int8()),
            pa.array([f"{n}-{i}" + "x" * 20_000 for i in range(120)]),
        )
        for n in range(4)
    ]
    ref, expected = shuffle(tmp_path, columns)
    assert read([ref], 1).read_all()["x"].to_pylist() == expected
