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


@pytest.mark.parametrize("where", ["directory", "s3"])
def test_a_dask_frame_bigger_than_memory(tmp_path, endpoint, where):
    store = str(tmp_path)
    if where == "s3":
        options = f"scheme=http&endpoint_override={endpoint}&region=us-east-1"
        store = f"s3://{servers.BUCKET}/dask?{options}"
    done = limited.run(
        DASK,
        *(ROOT / "examples", store, PARTS * LARGE, LIMIT, "shuffle"),
        AWS_ACCESS_KEY_ID=servers.KEY,
        AWS_SECRET_ACCESS_KEY=servers.SECRET,
        AWS_EC2_METADATA_DISABLED="true",
    )
    assert done.returncode == 0, done.stderr
    assert f"{PARTS * LARGE * 500_000} rows" in done.stdout
    assert stored(tmp_path) == []


def test_the_same_frame_does_not_fit_without_a_shuffle(tmp_path):
    done = limited.run(DASK, ROOT / "examples", tmp_path, PARTS, LIMIT, "plain")
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
