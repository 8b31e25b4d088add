"""A writer that has failed takes nothing more, and takes a batch whole or not at all."""

import itertools
import json
import struct
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.flight
import pytest
from shuffles import read_all, stored, table

from blobshuffle import LocalStore, ShuffleWriter, StoreUnavailable, read
from blobshuffle.flight import FlightWriter
from blobshuffle.store import Upload

# Its names are made at run time, so type checkers do not know them.
flight: Any = pyarrow.flight

ROWS = 500_000
MEMORY = 4 << 20


def numbers(start=0, rows=ROWS):
    return pa.record_batch({"x": np.arange(start, start + rows)})


def ids(rows=ROWS):
    return np.arange(rows) % 4


def write_all(writer, batches):
    for batch in batches:
        writer.write(batch, ids(batch.num_rows))


def writer_without_a_spill_directory(tmp_path):
    return ShuffleWriter(
        tmp_path / "store",
        shuffle="s",
        map=0,
        maps=1,
        partitions=4,
        memory=MEMORY,
        spill_directory=tmp_path / "absent",
        codec="none",
    )


@pytest.mark.parametrize("then", ["write", "commit"])
def test_a_writer_whose_spill_failed_refuses(tmp_path, then):
    with writer_without_a_spill_directory(tmp_path) as writer:
        # Operations and engines have no argument spill_directory.
        with pytest.raises(StoreUnavailable, match=r"absent: .*more memory, a store of several"):
            write_all(writer, [numbers()] * 4)
        (tmp_path / "absent").mkdir()
        with pytest.raises(ValueError, match=r"its writer has failed: .*next attempt"):
            writer.commit() if then == "commit" else writer.write(numbers(), ids())
    assert stored(tmp_path) == []


class FailingStore(LocalStore):
    """A directory whose uploads fail after so many bytes, the first one and then the second."""

    def __init__(self, directory, limits, attempts=1):
        super().__init__(directory)
        self._limits = iter(limits)
        self._attempts = attempts

    @property
    def attempts(self):
        return self._attempts

    def create(self, path):
        return _FailingUpload(super().create(path), next(self._limits, None))


class _FailingUpload(Upload):
    def __init__(self, upload, limit):
        self._upload, self._left = upload, limit

    def write(self, data):
        if self._left is not None:
            self._left -= len(memoryview(data))
            if self._left < 0:
                raise StoreUnavailable("Cannot write: the test says so.")
        self._upload.write(data)

    def commit(self):
        self._upload.commit()

    def abort(self):
        self._upload.abort()


def test_a_writer_whose_commit_failed_refuses(tmp_path):
    store = FailingStore(tmp_path, [0])
    with ShuffleWriter(store, shuffle="s", map=0, maps=1, partitions=4) as writer:
        writer.write(numbers(), ids())
        with pytest.raises(StoreUnavailable):
            writer.commit()
        for again in (writer.commit, lambda: writer.write(numbers(), ids())):
            with pytest.raises(ValueError, match="its writer has failed"):
                again()
    assert stored(tmp_path) == []


@pytest.mark.parametrize("fraction", [0.0, 0.01, 0.3, 0.6, 0.95, 1.0])
def test_a_blob_that_is_begun_again_has_the_spilled_rows_again(tmp_path, fraction):
    rows = 4 * ROWS
    limits = [int(8 * rows * fraction), int(8 * rows * fraction / 2)]
    store = FailingStore(tmp_path, limits, attempts=3)
    with ShuffleWriter(
        store, shuffle="s", map=0, maps=1, partitions=4, memory=MEMORY, codec="none"
    ) as writer:
        for start in range(0, rows, ROWS):
            writer.write(numbers(start), ids())
        assert writer.spilled_bytes > 4 * rows
        ref = writer.commit()
    assert ref.rows == rows
    for partition, part in enumerate(read_all([ref], 4)):
        assert part["x"].equals(pa.chunked_array([np.arange(partition, rows, 4)]))
    assert stored(tmp_path) == [tmp_path / ref.path]


def mistakes():
    """Calls that a writer must refuse without taking a row."""
    batch = pa.concat_tables([table(10, 0), table(10, 1)])
    return [
        (batch, {"partition_ids": [0] * 19}),
        (batch, {"partition_ids": [0] * 21}),
        (batch, {"partition_ids": [0] * 10 + [9] * 10}),
        (batch, {"partition_ids": [0] * 19 + [None]}),
        (batch, {"partition_ids": [0.5] * 20}),
        (batch, {"keys": ["absent"]}),
        (batch, {"keys": []}),
        (batch, {}),
        (batch.drop_columns(["id"]), {"keys": ["row"]}),
    ]


def test_a_refused_batch_leaves_no_row(tmp_path):
    batch = pa.concat_tables([table(10, 0), table(10, 1)])
    with ShuffleWriter(tmp_path, shuffle="s", map=0, maps=1, partitions=4) as writer:
        writer.write(batch, [0] * 20)
        for wrong, arguments in mistakes():
            with pytest.raises((ValueError, KeyError)):
                writer.write(wrong, **arguments)
        writer.write(batch, [1] * 20)
        ref = writer.commit()
    assert [part.num_rows for part in read_all([ref], 4)] == [20, 20, 0, 0]


def test_nothing_is_taken_after_a_commit(tmp_path):
    with ShuffleWriter(tmp_path, shuffle="s", map=0, maps=1, partitions=4) as writer:
        writer.write(table(8), ids(8))
        ref = writer.commit()
        assert writer.commit() is ref
        with pytest.raises(ValueError, match="is closed"):
            writer.write(table(8), ids(8))
        assert writer.commit() is ref
    assert sum(batch.num_rows for batch in read([ref], 0)) == 2


class Daemon(flight.FlightServerBase):
    """A daemon's side of a put: counts rows, and commits when the client sends their number."""

    def __init__(self):
        super().__init__("grpc://127.0.0.1:0")
        self.commits = []
        self.fails_after = None

    def do_put(self, context, descriptor, reader, writer):
        rows, end = [], None
        for chunk in reader:
            if chunk.data is None:
                end = struct.unpack("<q", chunk.app_metadata.to_pybytes())[0]
                break
            partition = struct.unpack("<I", chunk.app_metadata.to_pybytes())[0]
            rows += [(partition, row) for row in chunk.data.column(0).to_pylist()]
            if self.fails_after is not None and len(rows) > self.fails_after:
                raise flight.FlightUnavailableError("the disk is full")
        if end is None:
            return
        assert end == len(rows)
        self.commits.append(rows)
        answer = {
            "blob": "1-000000000000000a-0",
            "shuffle": "s",
            "map": 0,
            "attempt": 0,
            "path": "shuffles/s/m0-a0-1-000000000000000a-0.blob",
            "length": 1,
            "rows": end,
            "checksum": 1,
        }
        writer.write(json.dumps(answer).encode())


@pytest.fixture
def daemon():
    with Daemon() as server:
        yield server


def flight_writer(daemon, schema):
    client = flight.connect(f"grpc://127.0.0.1:{daemon.port}")
    return FlightWriter(
        client, namespace="n", shuffle="s", map=0, maps=1, partitions=4, schema=schema
    )


def test_a_refused_batch_sends_no_row(daemon):
    batch = pa.concat_tables([table(10, 0), table(10, 1)])
    with flight_writer(daemon, batch.schema) as writer:
        for wrong, arguments in mistakes():
            with pytest.raises((ValueError, KeyError)):
                writer.write(wrong, **arguments)
        writer.write(batch, [1] * 20)
        ref = writer.commit()
        assert ref.rows == 20
        assert writer.commit() is ref
        with pytest.raises(ValueError, match="is closed"):
            writer.write(batch, [1] * 20)
    assert daemon.commits == [[(1, value) for value in batch["id"].to_pylist()]]


def test_a_put_that_failed_refuses(daemon):
    daemon.fails_after = 100
    batch = numbers(rows=100_000)
    with flight_writer(daemon, batch.schema) as writer:
        with pytest.raises(StoreUnavailable, match="disk is full"):
            write_all(writer, itertools.repeat(batch))
        for again in (writer.commit, lambda: writer.write(batch, ids(100_000))):
            with pytest.raises(ValueError, match="its writer has failed"):
                again()
    assert daemon.commits == []


def test_a_put_that_is_not_committed_commits_nothing(daemon):
    batch = numbers(rows=10)
    writer = flight_writer(daemon, batch.schema)
    writer.write(batch, ids(10))
    writer.close()
    writer.close()
    with pytest.raises(ValueError, match="is closed"):
        writer.commit()
    assert daemon.commits == []
