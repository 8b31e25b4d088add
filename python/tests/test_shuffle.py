"""Rows come back once, in their partition and in their order."""

import dataclasses
import pickle
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shuffles import read_all, stored, table, write

from blobshuffle import (
    BlobCorrupt,
    IncompleteShuffle,
    SchemaMismatch,
    ShuffleWriter,
    new_shuffle,
    partition_ids,
    read,
    release,
    select,
)
from blobshuffle.arrow import FRAME_BYTES
from blobshuffle.footer import read_container
from blobshuffle.store import open_store


@pytest.mark.parametrize("codec", ["none", "lz4", "zstd"])
def test_each_partition_has_its_rows_in_the_order_written(tmp_path, codec):
    data = table(10_000)
    ref = write(tmp_path, data, 8, batches=7, codec=codec)
    parts = read_all([ref], 8)
    for partition, part in enumerate(parts):
        assert part.equals(data.take(np.arange(partition, data.num_rows, 8)))
    assert ref.rows == data.num_rows


@settings(max_examples=40)
@given(st.data())
def test_a_shuffle_loses_and_doubles_nothing(tmp_path_factory, data):
    directory = tmp_path_factory.mktemp("store")
    partitions = data.draw(st.integers(1, 40))
    maps = data.draw(st.integers(1, 4))
    codec = data.draw(st.sampled_from(["none", "lz4", "zstd"]))
    expected = [[] for _ in range(partitions)]
    refs, counter = [], 0
    for number in range(maps):
        with ShuffleWriter(
            directory,
            shuffle="s",
            map=number,
            maps=maps,
            partitions=partitions,
            codec=codec,
            schema=pa.schema([("row", pa.int64())]),
        ) as writer:
            for _ in range(data.draw(st.integers(0, 4))):
                ids = data.draw(st.lists(st.integers(0, partitions - 1), max_size=50))
                rows = list(range(counter, counter + len(ids)))
                counter += len(ids)
                writer.write(pa.record_batch([pa.array(rows, pa.int64())], ["row"]), ids)
                for row, partition in zip(rows, ids, strict=True):
                    expected[partition].append(row)
            refs.append(writer.commit())
    data.draw(st.randoms()).shuffle(refs)
    assert [part["row"].to_pylist() for part in read_all(refs, partitions)] == expected


@pytest.mark.parametrize("codec", ["none", "zstd"])
def test_a_blob_is_an_arrow_stream_of_all_rows(tmp_path, codec):
    data = table(5_000)
    ref = write(tmp_path, data, 4, codec=codec)
    with pa.OSFile(str(tmp_path / ref.path)) as file:
        rows = pa.ipc.open_stream(file).read_all()
    assert rows.sort_by("row").equals(data)


def test_segments_are_divided_into_frames_of_about_four_mebibytes(tmp_path):
    data = pa.table({"x": np.arange(3 << 20)})
    ref = write(tmp_path, data, 1, codec="none")
    container, _ = read_container(open_store(tmp_path).open(ref.path))
    frames = container.segments[0].frames
    assert len(frames) == 6
    assert all(FRAME_BYTES * 0.9 < frame.length < FRAME_BYTES * 1.1 for frame in frames)
    sizes = [batch.nbytes for batch in read([ref], 0)]
    assert max(sizes) <= FRAME_BYTES * 1.1


def test_rows_of_uneven_size_are_divided_too(tmp_path):
    texts = ["x"] * 100_000 + ["y" * 100_000] * 300
    ref = write(tmp_path, pa.table({"x": texts}), 1, codec="lz4")
    sizes = [batch.nbytes for batch in read([ref], 0)]
    assert max(sizes) <= 2 * FRAME_BYTES
    assert read([ref], 0).read_all()["x"].to_pylist() == texts


@pytest.mark.parametrize("codec", ["none", "lz4"])
@pytest.mark.parametrize("rows", [400_000, 450_000])  # of the second, some are in memory at the end
def test_rows_beyond_memory_are_spilled_and_come_back(tmp_path, codec, rows):
    data = table(rows)
    memory = 4 << 20
    assert data.nbytes > 3 * memory
    ids = np.random.default_rng(1).integers(0, 100, data.num_rows)
    with ShuffleWriter(
        tmp_path, shuffle="s", map=0, maps=1, partitions=100, codec=codec, memory=memory
    ) as writer:
        for at in range(0, data.num_rows, 10_000):
            writer.write(data.slice(at, 10_000), ids[at : at + 10_000])
        assert writer.spilled_bytes > 0
        ref = writer.commit()
    for partition, part in enumerate(read_all([ref], 100)):
        assert part.equals(data.take(np.flatnonzero(ids == partition)))
    assert stored(tmp_path) == [tmp_path / ref.path]


def test_a_writer_keeps_to_its_memory(tmp_path):
    memory = 16 << 20
    batch = pa.record_batch({"x": np.arange(100_000), "y": np.arange(100_000)})
    ids = np.arange(100_000) % 1000
    before = pa.total_allocated_bytes()
    peak = 0
    with ShuffleWriter(
        tmp_path, shuffle="s", map=0, maps=1, partitions=1000, memory=memory
    ) as writer:
        for _ in range(100):
            writer.write(batch, ids)
            peak = max(peak, pa.total_allocated_bytes() - before)
        ref = writer.commit()
    assert ref.rows == 10_000_000
    assert peak <= memory * 1.25
    assert sum(batch.num_rows for batch in read([ref], 999)) == 10_000


def test_maps_are_read_in_their_order_whatever_the_order_of_refs(tmp_path):
    refs = [write(tmp_path, table(100, seed), 2, map=seed, maps=5) for seed in range(5)]
    expected = pa.concat_tables([table(100, seed).take(np.arange(0, 100, 2)) for seed in range(5)])
    assert read(reversed(refs), 0).read_all().equals(expected)


def test_a_table_of_several_chunks_keeps_its_rows_and_ids_together(tmp_path):
    data = pa.concat_tables([table(100, seed) for seed in range(3)])
    ids = np.random.default_rng(5).integers(0, 3, 300)
    ref = write(tmp_path, data, 3, ids=ids)
    for partition, part in enumerate(read_all([ref], 3)):
        assert part.equals(data.take(np.flatnonzero(ids == partition)))


def test_an_empty_map_has_a_schema_and_no_rows(tmp_path):
    schema = pa.schema([("x", pa.int64()), ("d", pa.dictionary(pa.int8(), pa.string()))])
    with ShuffleWriter(tmp_path, shuffle="s", map=0, maps=2, partitions=3, schema=schema) as writer:
        empty = writer.commit()
    with ShuffleWriter(tmp_path, shuffle="s", map=1, maps=2, partitions=3) as writer:
        writer.write(pa.RecordBatch.from_pylist([], schema), [])
        also_empty = writer.commit()
    reader = read([empty, also_empty], 1)
    assert reader.schema.equals(schema)
    assert reader.read_all().num_rows == 0


def test_rows_without_columns_are_refused(tmp_path):
    data = pa.record_batch({"x": [1, 2, 3]}).select([])
    with (
        ShuffleWriter(tmp_path, shuffle="s", map=0, maps=1, partitions=2) as writer,
        pytest.raises(ValueError, match="add a column"),
    ):
        writer.write(data, [0, 1, 1])


def test_a_map_without_batch_and_schema_is_refused(tmp_path):
    with (
        ShuffleWriter(tmp_path, shuffle="s", map=0, partitions=3) as writer,
        pytest.raises(ValueError, match="Pass schema"),
    ):
        writer.commit()


def test_a_hundred_thousand_partitions(tmp_path):
    data = pa.table({"x": np.arange(300_000)})
    ref = write(tmp_path, data, 100_000, codec="none", memory=8 << 20)
    for partition in (0, 1, 77_777, 99_999):
        expected = [partition, partition + 100_000, partition + 200_000]
        assert read([ref], partition).read_all()["x"].to_pylist() == expected


def test_refs_are_small_and_picklable(tmp_path):
    ref = write(tmp_path, table(10_000), 8192, shuffle=new_shuffle("orders"))
    packed = pickle.dumps(ref)
    assert len(packed) < 600
    assert read([pickle.loads(packed)], 4).read_all().num_rows == 2


def test_a_missing_map_is_never_silent(tmp_path):
    refs = [write(tmp_path, table(10, n), 2, map=n, maps=3) for n in range(3)]
    for lost in range(3):
        with pytest.raises(IncompleteShuffle, match=f"1 of 3 maps are missing: {lost}"):
            read(refs[:lost] + refs[lost + 1 :], 0)
    with pytest.raises(IncompleteShuffle, match="no ref"):
        read([], 0)
    with pytest.raises(IncompleteShuffle, match="4"):
        read(refs, 0, maps=4)


def test_the_number_of_maps_must_be_known(tmp_path):
    ref = write(tmp_path, table(10), 2, maps=None)
    with pytest.raises(IncompleteShuffle, match="number of maps"):
        read([ref], 0)
    assert read([ref], 0, maps=1).read_all().num_rows == 5
    with pytest.raises(IncompleteShuffle, match="missing"):
        read([ref], 0, maps=2)


def test_a_map_that_is_not_of_the_shuffle_is_refused(tmp_path):
    refs = [write(tmp_path, table(10, n), 2, map=n, maps=None) for n in (0, 5)]
    with pytest.raises(IncompleteShuffle, match="maps 5 are not among its 1"):
        read(refs, 0, maps=1)


def test_speculative_attempts_count_once(tmp_path):
    refs = [write(tmp_path, table(10, n), 2, map=n, maps=2) for n in range(2)]
    again = write(tmp_path, table(10, 1), 2, map=1, maps=2, attempt=1)
    with pytest.raises(IncompleteShuffle, match="maps 1 have several refs"):
        read([*refs, again], 0)
    assert select([again, *refs]) == select([*refs, again]) == refs
    assert read(select([again, *refs]), 0).read_all().num_rows == 10
    assert read([refs[0], again], 0).read_all().num_rows == 10


def test_refs_of_several_shuffles_are_refused(tmp_path):
    one = write(tmp_path, table(10), 2, maps=2, shuffle="one")
    two = write(tmp_path, table(10), 2, map=1, maps=2, shuffle="two")
    with pytest.raises(IncompleteShuffle, match="one shuffle"):
        read([one, two], 0)


def test_two_jobs_in_one_directory_do_not_meet(tmp_path):
    mine, other = new_shuffle(), new_shuffle()
    assert mine != other
    ref = write(tmp_path, table(10, 1), 2, shuffle=mine)
    write(tmp_path, table(10, 2), 2, shuffle=other)
    release(tmp_path, other)
    assert read([ref], 0).read_all().equals(table(10, 1).take([0, 2, 4, 6, 8]))
    assert stored(tmp_path) == [tmp_path / ref.path]


def test_two_runs_of_one_attempt_do_not_overwrite_each_other(tmp_path):
    first = write(tmp_path, table(10, 1), 2)
    second = write(tmp_path, table(10, 2), 2)
    assert first.path != second.path
    assert read([first], 0).read_all().equals(table(10, 1).take([0, 2, 4, 6, 8]))
    assert read([second], 0).read_all().equals(table(10, 2).take([0, 2, 4, 6, 8]))


def test_maps_of_different_schemas_are_refused(tmp_path):
    one = write(tmp_path, pa.table({"x": [1, 2]}), 1, maps=2)
    two = write(tmp_path, pa.table({"x": ["a"]}), 1, map=1, maps=2)
    with pytest.raises(SchemaMismatch, match="one schema"):
        read([one, two], 0).read_all()


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([0, 1], "2 partition ids for 3 rows"),
        ([0, 1, 2], "legal are 0 to 1"),
        ([0, -1, 1], "legal are 0 to 1"),
        ([0, None, 1], "1 nulls"),
        ([0.0, 1.0, 1.0], "Pass integers"),
    ],
)
def test_illegal_partition_ids_are_refused(tmp_path, ids, message):
    with (
        ShuffleWriter(tmp_path, shuffle="s", map=0, partitions=2) as writer,
        pytest.raises(ValueError, match=message),
    ):
        writer.write(pa.record_batch({"x": [1, 2, 3]}), ids)


def test_illegal_arguments_are_refused(tmp_path):
    batch = pa.record_batch({"x": [1]})
    defaults: dict[str, Any] = {"shuffle": "s", "map": 0, "partitions": 1}
    illegal: list[dict[str, Any]] = [
        {"partitions": 0},
        {"map": -1},
        {"attempt": -1},
        {"maps": 0},
        {"shuffle": "../other"},
        {"shuffle": ""},
        {"memory": 1},
    ]
    for arguments in illegal:
        with pytest.raises(ValueError, match="Cannot"):
            ShuffleWriter(tmp_path, **defaults | arguments)
    with ShuffleWriter(tmp_path, shuffle="s", map=0, partitions=1) as writer:
        for arguments in ({}, {"partition_ids": [0], "keys": ["x"]}, {"keys": []}):
            with pytest.raises(ValueError, match="Cannot"):
                writer.write(batch, **arguments)
        with pytest.raises(KeyError, match="y"):
            writer.write(batch, keys=["y"])
        writer.write(batch, [0])
        with pytest.raises(ValueError, match="its schema is"):
            writer.write(pa.record_batch({"y": [1]}), [0])
    with pytest.raises(ValueError, match="is closed"):
        writer.write(batch, [0])
    with pytest.raises(ValueError, match="is closed"):
        writer.commit()
    with pytest.raises(ValueError, match="Cannot open store"):
        ShuffleWriter("ftp://host/x", shuffle="s", map=0, partitions=1)
    ref = write(tmp_path, table(2), 1)
    with pytest.raises(ValueError, match="it has 1"):
        read([ref], 1)
    with pytest.raises(ValueError, match="codec"):
        write(tmp_path, table(2), 1, codec="snappy")


def test_a_map_of_another_number_of_partitions_is_refused(tmp_path):
    one = write(tmp_path, table(10), 2, maps=2)
    other = write(tmp_path, table(10), 3, map=1, maps=2)
    with pytest.raises(IncompleteShuffle, match="3 partitions"):
        read([one, other], 0)
    # A ref that contradicts the blob.
    with pytest.raises(BlobCorrupt, match="it has 3 partitions, and its ref says 2"):
        read([one, dataclasses.replace(other, partitions=2)], 0).read_all()
    container, _ = read_container(open_store(tmp_path).open(other.path))
    assert container.partitions == 3


def test_keys_decide_the_partition(tmp_path):
    data = pa.concat_tables([table(600), table(400, 1)])
    with ShuffleWriter(tmp_path, shuffle="s", map=0, maps=1, partitions=7) as writer:
        writer.write(data.slice(0, 0), keys=["id"])
        writer.write(data, keys=["name", "id"])
        ref = writer.commit()
    ids = partition_ids(data, ["name", "id"], 7)
    for partition, part in enumerate(read_all([ref], 7)):
        assert part.equals(data.take(np.flatnonzero(ids.to_numpy() == partition)))
