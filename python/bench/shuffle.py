"""Measures a shuffle beside the plain way: one Arrow file for each map and partition.

    python bench/shuffle.py --rows 2000000 --partitions 100 1000 --codecs none lz4 zstd

The data resemble TPC-H lineitem (16 columns, about 170 bytes a row). Each cell runs in a process
of its own, the two ways in turn, three times; the table has the median of CPU seconds (user and
system) per 10^9 bytes of rows, the median of wall seconds, and the highest resident memory above
that of the rows. Every row is read back and counted, and a sum of one column compared.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import pathlib
import resource
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import blobshuffle

MAPS = 4
BATCH_ROWS = 65_536


class Result(NamedTuple):
    """Seconds of CPU for map and reduce, of wall time for both; bytes."""

    map_cpu: float
    reduce_cpu: float
    wall: float
    files: int
    stored: int
    memory: int


def lineitem(rows: int, seed: int) -> pa.Table:
    """Make rows with the types and, roughly, the entropy of lineitem."""
    random = np.random.default_rng(seed)
    words = np.array([f"word{i}" for i in range(500)])
    comments = np.char.add(np.char.add(random.choice(words, rows), " "), random.choice(words, rows))

    def choice(*values: str) -> pa.Array:
        return pa.array(np.array(values)[random.integers(0, len(values), rows)])

    def money(high: int) -> pa.Array:
        return pa.array(random.integers(0, high, rows)).cast(pa.decimal128(21, 2))

    def day() -> pa.Array:
        return pa.array(random.integers(8000, 10500, rows).astype("i4")).cast(pa.date32())

    return pa.table(
        {
            "l_orderkey": np.sort(random.integers(0, rows, rows)),
            "l_partkey": random.integers(0, 800_000, rows),
            "l_suppkey": random.integers(0, 40_000, rows),
            "l_linenumber": random.integers(1, 8, rows).astype("i4"),
            "l_quantity": money(50),
            "l_extendedprice": money(100_000),
            "l_discount": money(10),
            "l_tax": money(8),
            "l_returnflag": choice("A", "N", "R"),
            "l_linestatus": choice("F", "O"),
            "l_shipdate": day(),
            "l_commitdate": day(),
            "l_receiptdate": day(),
            "l_shipinstruct": choice("COLLECT COD", "DELIVER IN PERSON", "NONE"),
            "l_shipmode": choice("AIR", "FOB", "MAIL", "RAIL", "SHIP", "TRUCK"),
            "l_comment": pa.array(comments),
        }
    )


def through_blobs(
    data: list[pa.Table], partitions: int, codec: Any, directory: str
) -> Callable[[], Any]:
    """Write all maps; return a function that iterates over the partitions."""
    refs = []
    for number, rows in enumerate(data):
        with blobshuffle.ShuffleWriter(
            directory,
            shuffle="bench",
            map=number,
            maps=len(data),
            partitions=partitions,
            codec=codec,
        ) as writer:
            for batch in rows.to_batches(BATCH_ROWS):
                writer.write(batch, keys=["l_orderkey"])
            refs.append(writer.commit())
    return lambda: (blobshuffle.read(refs, partition) for partition in range(partitions))


def plain(data: list[pa.Table], partitions: int, codec: Any, directory: str) -> Callable[[], Any]:
    """Write one Arrow file for each map and partition; return a function that reads partitions."""
    options = pa.ipc.IpcWriteOptions(compression=None if codec == "none" else codec)
    compute: Any = pc
    for number, rows in enumerate(data):
        ids = blobshuffle.partition_ids(rows, ["l_orderkey"], partitions)
        order = compute.array_sort_indices(ids)
        counts = np.bincount(ids.to_numpy(), minlength=partitions)
        ordered = rows.take(order)
        at = 0
        for partition, count in enumerate(counts.tolist()):
            path = f"{directory}/{number}-{partition}.arrow"
            with pa.ipc.new_stream(path, rows.schema, options=options) as writer:
                writer.write_table(ordered.slice(at, count))
            at += count

    def read() -> Any:
        for partition in range(partitions):
            for number in range(len(data)):
                with pa.OSFile(f"{directory}/{number}-{partition}.arrow") as file:
                    yield pa.ipc.open_stream(file)

    return read


WAYS = {"blobs": through_blobs, "plain": plain}


def run(way: str, rows: int, partitions: int, codec: str, directory: str, queue: Any) -> None:
    """Run one cell."""
    pa.set_cpu_count(1)
    data = [lineitem(rows // MAPS, seed) for seed in range(MAPS)]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start, wall = time.process_time(), time.perf_counter()
    read = WAYS[way](data, partitions, codec, directory)
    middle = time.process_time()
    count = total = 0
    for reader in read():
        for batch in reader:
            count += batch.num_rows
            total += pc.sum(batch["l_partkey"]).as_py() or 0  # type: ignore[attr-defined]
    end = time.process_time()
    elapsed = time.perf_counter() - wall
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) << 10
    if count != sum(table.num_rows for table in data) or total != sum(
        int(table["l_partkey"].to_numpy().sum()) for table in data
    ):
        raise AssertionError(f"{way} lost rows: {count}")
    files = [file for file in pathlib.Path(directory).rglob("*") if file.is_file()]
    stored = sum(file.stat().st_size for file in files)
    size = sum(table.nbytes for table in data) / 1e9
    queue.put(
        Result((middle - start) / size, (end - middle) / size, elapsed, len(files), stored, memory)
    )


def measure(way: str, rows: int, partitions: int, codec: str, parent: str | None) -> Result:
    """Run one cell in a process and a directory of its own."""
    directory = tempfile.mkdtemp(dir=parent)
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=run, args=(way, rows, partitions, codec, directory, queue))
    process.start()
    try:
        return queue.get(timeout=600)
    finally:
        process.join()
        shutil.rmtree(directory)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--partitions", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--codecs", nargs="+", default=["none", "lz4", "zstd"])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--directory", default=os.environ.get("TMPDIR"))
    options = parser.parse_args()
    print("| N | codec | way | map CPU-s/GB | reduce CPU-s/GB | wall s | files | MB | memory MB |")
    print("|---|---|---|---|---|---|---|---|---|")
    for partitions in options.partitions:
        for codec in options.codecs:
            results: dict[str, list[Result]] = {way: [] for way in WAYS}
            for _ in range(options.runs):
                for way in WAYS:
                    results[way].append(
                        measure(way, options.rows, partitions, codec, options.directory)
                    )
            for way, found in results.items():
                middle = [statistics.median(values) for values in zip(*found, strict=True)]
                print(
                    f"| {partitions} | {codec} | {way} | {middle[0]:.2f} | {middle[1]:.2f} "
                    f"| {middle[2]:.2f} | {middle[3]:.0f} | {middle[4] / 1e6:.0f} "
                    f"| {middle[5] / 1e6:.0f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
