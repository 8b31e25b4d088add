"""Rows that exceed memory are shuffled within a limit that the system enforces.

`BLOBSHUFFLE_LARGE` is a factor on sizes: 1 in CI.
"""

import os
import pathlib
import re

import limited
import pytest
import servers
from shuffles import stored

ROOT = pathlib.Path(__file__).parents[1]
LARGE = int(os.environ.get("BLOBSHUFFLE_LARGE", "1"))

DASK = """
sys.path.insert(0, sys.argv[1])
import dask
import dask_bigger_than_memory as example
import blobshuffle.dask
store, parts, mebibytes = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
example.run(store, 2, 1000)
limit(mebibytes)
if sys.argv[5] == "plain":
    frame = example.dd.from_map(example.orders, range(parts), rows=500_000)
    frame.compute(scheduler="synchronous")
else:
    example.run(store, parts, 500_000, scheduler="synchronous")
"""

# 20 MiB a partition: the frame has 320 MiB.
PARTS, LIMIT = 16, 256


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory):
    with servers.versitygw(tmp_path_factory.mktemp("s3")) as endpoint:
        yield endpoint


def place(where, tmp_path, endpoint):
    """A store, and the environment that its credentials are in."""
    if where == "directory":
        return str(tmp_path), {}
    options = f"scheme=http&endpoint_override={endpoint}&region=us-east-1"
    return f"s3://{servers.BUCKET}/dask?{options}", {
        "AWS_ACCESS_KEY_ID": servers.KEY,
        "AWS_SECRET_ACCESS_KEY": servers.SECRET,
        "AWS_EC2_METADATA_DISABLED": "true",
    }


@pytest.mark.parametrize("where", ["directory", "s3"])
def test_a_dask_frame_bigger_than_memory(tmp_path, endpoint, where):
    store, environment = place(where, tmp_path, endpoint)
    options = (ROOT / "examples", store, PARTS * LARGE, LIMIT, "shuffle")
    done = limited.run(DASK, *options, **environment)
    assert done.returncode == 0, done.stderr
    assert f"{PARTS * LARGE * 500_000} rows" in done.stdout
    assert stored(tmp_path) == []


def test_the_same_frame_does_not_fit_without_a_shuffle(tmp_path):
    done = limited.run(DASK, ROOT / "examples", tmp_path, PARTS, LIMIT, "plain")
    assert done.returncode != 0
    assert re.search("MemoryError|Unable to allocate|malloc", done.stderr)


PROGRAM = """
sys.path.insert(0, sys.argv[1])
import dask
import dask_program as example
store, parts, mebibytes = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
example.run(store, 2, 1000)
limit(mebibytes)
if sys.argv[5] == "blobs":
    example.run(store, parts, scheduler="synchronous")
else:
    with dask.config.set({"dataframe.shuffle.method": "tasks"}):
        example.program(parts, 500_000).compute(scheduler="synchronous")
"""


@pytest.mark.parametrize("where", ["directory", "s3"])
def test_a_dask_program_on_frames_bigger_than_memory(tmp_path, endpoint, where):
    store, environment = place(where, tmp_path, endpoint)
    parts = PARTS * LARGE
    options = (ROOT / "examples", store, parts, LIMIT, "blobs")
    done = limited.run(PROGRAM, *options, **environment)
    assert done.returncode == 0, done.stderr
    assert f"{parts * 500_000} rows" in done.stdout
    assert stored(tmp_path) == []


def test_the_same_program_does_not_fit_with_dasks_tasks(tmp_path):
    done = limited.run(PROGRAM, ROOT / "examples", tmp_path, PARTS, LIMIT, "tasks")
    assert done.returncode != 0
    assert re.search("MemoryError|Unable to allocate|malloc", done.stderr)


WRITE_AND_READ = """
import numpy as np
import pyarrow as pa
from blobshuffle import ShuffleWriter, read
store, batches, partitions = sys.argv[1], int(sys.argv[2]), 100
def batch(number):
    key = np.random.default_rng(number).integers(0, 1 << 60, 1 << 17)
    return pa.record_batch({"key": key, "row": np.arange(len(key)) + number * len(key)})
batch(0)
limit(256)
import time
began = time.process_time()
with ShuffleWriter(store, shuffle="s", map=0, maps=1, partitions=partitions, memory=64 << 20,
                   codec="lz4") as writer:
    for number in range(batches):
        writer.write(batch(number), keys=["key"])
    ref = writer.commit()
    assert writer.spilled_bytes
wrote = time.process_time()
rows = total = 0
for partition in range(partitions):
    for part in read([ref], partition):
        rows += part.num_rows
        total += int(part["row"].to_numpy().sum())
count = batches << 17
assert rows == count and total == count * (count - 1) // 2, (rows, total)
print(f"{wrote - began:.1f} {time.process_time() - wrote:.1f}")
"""


def test_a_map_of_more_rows_than_memory(tmp_path):
    # 2 MiB a batch: 400 MiB, or 10 GB with BLOBSHUFFLE_LARGE=24.
    done = limited.run(WRITE_AND_READ, tmp_path, 200 * LARGE)
    assert done.returncode == 0, done.stderr
    write, read = done.stdout.split()
    print(
        f"{200 * LARGE * 2} MiB within 256 MiB: write {write} and read {read} CPU-s, "
        f"peak {limited.peak_mebibytes()} MiB resident"
    )


OPERATIONS = """
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import blobshuffle
store, batches, operation = sys.argv[1], int(sys.argv[2]), sys.argv[3]
rows = 1 << 17
def batch(number):
    key = np.random.default_rng(number).permutation(np.arange(number * rows, (number + 1) * rows))
    if number % 4 == 0:
        key[: rows // 16] = 7
    return pa.record_batch({"k": key * 2654435761 % (1 << 40), "v": key % 100})
def reader():
    first = batch(0)
    return pa.RecordBatchReader.from_batches(first.schema, map(batch, range(batches)))
if operation == "whole":
    limit(96)
    reader().read_all()
def run(operation, memory):
    options = {"store": store, "memory": memory}
    if operation == "join":
        small = pa.table({"k": batch(1)["k"].slice(0, 10_000)})
        return blobshuffle.join(reader(), small, "k", how="anti", partitions=4, **options)
    if operation == "aggregate":
        return blobshuffle.aggregate(reader(), "k", {"n": ("v", "size")}, partitions=4, **options)
    return blobshuffle.sort(reader(), ["k"], **options)
batches, wanted = 1, batches
for each in run(operation, 32 << 20):
    pass
batches = wanted
limit(96)
found, last = 0, None
for each in run(operation, 32 << 20):
    found += each.num_rows
    if operation == "sort" and each.num_rows:
        keys = each["k"].to_numpy()
        assert (keys[1:] >= keys[:-1]).all() and (last is None or keys[0] >= last)
        last = keys[-1]
print(found)
"""


@pytest.mark.parametrize("operation", ["join", "aggregate", "sort"])
def test_an_operation_on_more_rows_than_memory(tmp_path, operation):
    # 2 MiB a batch: 128 MiB within 96 MiB more than at the start, with 32 MiB of `memory`.
    batches = 64 * LARGE
    done = limited.run(OPERATIONS, tmp_path, batches, operation)
    assert done.returncode == 0, done.stderr
    rows = batches << 17
    hot = -(-batches // 4) << 13
    expected = {"join": rows - 10_000, "aggregate": rows - hot + 1, "sort": rows}
    # The hot key may also be in a row of its own.
    spare = 1 if operation == "aggregate" else 0
    assert 0 <= expected[operation] - int(done.stdout) <= spare
    assert stored(tmp_path) == []


def test_the_same_rows_do_not_fit_without_an_operation(tmp_path):
    done = limited.run(OPERATIONS, tmp_path, 64, "whole")
    assert done.returncode != 0
    assert re.search("MemoryError|malloc|out of memory", done.stderr)
