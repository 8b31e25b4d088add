"""The shuffle through blobs: plain processes, two for two cores, nothing but the package."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator
from typing import Any

import protocol
import pyarrow as pa
import pyarrow.parquet as pq

import blobshuffle

WORKERS = 2
KEY = "l_orderkey"
_PARTITIONS_PER_TASK = 64
_MEMORY = 560 << 20
_MEMORY_OF_MANY = 228 << 20
_MANY = 4096
_BATCH_ROWS = 64 << 10


def prepare() -> None:
    """Begin a worker: it has one core."""
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)


def ready(_: int) -> int:
    """Return the worker's number with the operating system."""
    return os.getpid()


def scan(file: str) -> Iterator[pa.RecordBatch]:
    """Read a file."""
    return pq.ParquetFile(file).iter_batches(_BATCH_ROWS, use_threads=False)


def map_file(given: tuple[protocol.Task, str, int]) -> blobshuffle.Ref:
    """Write the rows of a file."""
    task, shuffle, number = given
    codec: Any = task.codec
    with blobshuffle.ShuffleWriter(
        task.directory,
        shuffle=shuffle,
        map=number,
        maps=len(task.data),
        partitions=task.partitions,
        codec=codec,
        memory=_MEMORY if task.partitions < _MANY else _MEMORY_OF_MANY,
    ) as writer:
        for batch in scan(task.data[number]):
            writer.write(batch, keys=[KEY])
        return writer.commit()


def reduce_range(given: tuple[list[blobshuffle.Ref], range]) -> list[tuple[int, int]]:
    """Count the rows of partitions, every column, and add up their keys."""
    refs, partitions = given
    return [_counted(blobshuffle.read(refs, partition)) for partition in partitions]


def _counted(reader: pa.RecordBatchReader) -> tuple[int, int]:
    count = total = 0
    for batch in reader:
        present = {batch.num_rows - column.null_count for column in batch.columns}
        if present != {batch.num_rows}:
            raise AssertionError(f"columns of {batch.num_rows} rows have {present} values")
        count += batch.num_rows
        total += int(batch[KEY].to_numpy().sum())
    return count, total


def shuffle(task: protocol.Task, pool: Any) -> dict[str, Any]:
    """Run maps, then reduce tasks."""
    name = blobshuffle.new_shuffle()
    maps = [(task, name, number) for number in range(len(task.data))]
    refs = pool.map(map_file, maps, chunksize=1)
    step = min(_PARTITIONS_PER_TASK, -(-task.partitions // (2 * WORKERS)))
    ranges = [
        (refs, range(at, min(at + step, task.partitions))) for at in range(0, task.partitions, step)
    ]
    found = [one for part in pool.imap(reduce_range, ranges) for one in part]
    blobshuffle.release(task.directory, name)
    return {
        "count": sum(count for count, _ in found),
        "sum": sum(total for _, total in found),
        "counts": [count for count, _ in found],
        "sums": [total for _, total in found],
    }


def main() -> None:
    """Start the workers, then work."""
    task = protocol.task()
    with multiprocessing.get_context("spawn").Pool(WORKERS, prepare) as pool:
        pool.map(ready, range(WORKERS), chunksize=1)
        protocol.measured(lambda: shuffle(task, pool))


if __name__ == "__main__":
    main()
