"""docs/guides/python.md works as printed: each block is run here, or left with the reason.

The Java side has the other pages: PrintedPagesIT in the module examples.
"""

import os
import pathlib
import re
import subprocess
import sys

import dask.dataframe as dd
import pandas as pd
import pyarrow as pa
import pytest
import ray
from shuffles import stored

import blobshuffle
from blobshuffle import new_shuffle

PAGE = pathlib.Path(__file__).parents[2] / "docs/guides/python.md"
STORE = "/mnt/blobs"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```|\n\n((?: {4}[^\n]*\n)+)", re.DOTALL | re.MULTILINE)
CUSTOMERS = ("ann", "bob", "eve")

# Blocks that do not run here, by a part of their text.
LEFT = {
    "pip install ./python": ".ci/python installs the package",
    "1 / compress": "a formula, which test_adaptive.py holds against the code",
    "FlightWriter(": "it needs a daemon; its Java tests run the client",
}


@pytest.fixture
def blocks(tmp_path):
    """The page's blocks, in order; a test at the end of this file knows all of them."""
    found = [python or indented for _, python, indented in BLOCK.findall(PAGE.read_text("utf-8"))]
    return [block.replace(STORE, str(tmp_path)) for block in found]


@pytest.fixture
def printed(blocks):
    def only(text):
        (block,) = [block for block in blocks if text in block]
        RUN.add(text)
        return block

    return only


RUN: set[str] = set()


def orders():
    return pa.record_batch({"customer": [*CUSTOMERS] * 100, "total": [1] * 300})


def test_maps_write_and_reducers_read(printed, tmp_path):
    page = {"blobshuffle": blobshuffle, "shuffle": new_shuffle()}
    exec(printed("def run_map("), page)
    page["refs"] = [page["run_map"](page["shuffle"], number, 2, [orders()]) for number in (0, 1, 1)]
    exec(printed("blobshuffle.select(refs)"), page)
    assert len(page["refs"]) == 2
    rows = 0
    reading = printed("for batch in read(refs")
    for partition in range(100):
        counting = reading.replace("partition=7", f"partition={partition}")
        page["count"] = []
        exec(counting.replace("...", "count.append(batch.num_rows)"), page)
        rows += sum(page["count"])
    assert rows == 600
    name = printed("shuffles/<shuffle>/m<map>").split("\n")[0].strip()
    pattern = re.sub(r"<[a-z]+>", "[^/]+", name.replace(".", r"\."))
    assert stored(tmp_path)
    assert all(re.fullmatch(pattern, str(one.relative_to(tmp_path))) for one in blobs(tmp_path))


def blobs(root):
    return [path for path in root.rglob("*") if path.is_file() and path.suffix == ".blob"]


def test_dask_adds_up(printed, tmp_path):
    page = {}
    block = printed("import blobshuffle.dask")
    exec(block.replace("blobshuffle.dask.enable", "session = blobshuffle.dask.enable"), page)
    with page["session"]:
        frame = dd.from_pandas(orders().to_pandas(), npartitions=3)
        totals = frame.groupby("customer").total.sum(split_out=2)
        assert totals.compute().to_dict() == dict.fromkeys(CUSTOMERS, 100)
        assert stored(tmp_path) != []
    assert stored(tmp_path) == []


def test_ray_adds_up(printed, tmp_path):
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray.init(
        num_cpus=2, include_dashboard=False, object_store_memory=128 << 20, log_to_driver=False
    )
    try:
        page = {"dataset": [pa.table(orders().to_pydict())], "__name__": "printed", "tables": []}
        block = printed("import blobshuffle.ray").replace("s3://bucket/shuffles", str(tmp_path))
        block = block.replace("1000, total", "20, total")  # A test's data is small.
        exec(block.replace("...", "tables.append(table)"), page)
    finally:
        ray.shutdown()
    assert len(page["tables"]) == 20
    assert totals(page["tables"]) == dict.fromkeys(CUSTOMERS, 100)


def totals(tables):
    together = pa.concat_tables([one for one in tables if one.num_rows]).to_pydict()
    return dict(zip(together["customer"], together["total_sum"], strict=True))


def test_processes_add_up(printed, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import pyarrow as pa\n"
        "def read_january():\n"
        "    return pa.table({'customer': ['ann', 'bob'], 'total': [1, 2]})\n"
        "read_february = read_january\n"
        "def total(rows, partition):\n"
        "    return rows.read_all().group_by('customer').aggregate([('total', 'sum')])\n"
        + printed("blobshuffle.processes").replace("...", "print(table.to_pylist())")
    )
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "{'customer': 'bob', 'total_sum': 4}" in done.stdout


def test_engines_query_a_partition(printed, tmp_path):
    with blobshuffle.ShuffleWriter(tmp_path, shuffle="s", map=0, maps=1, partitions=8) as writer:
        writer.write(orders(), [7] * 300)
        refs = [writer.commit()]
    page: dict = {"refs": refs}
    exec("import duckdb, datafusion\nfrom blobshuffle import read", page)
    exec(printed("duckdb.connect()"), page)
    sums = page["connection"].fetchall()
    assert dict(sums) == dict.fromkeys(CUSTOMERS, 100)
    assert isinstance(
        page["context"].sql("select count(*) as n from part").to_pandas(), pd.DataFrame
    )


def test_every_block_is_run_or_left(blocks):
    """The last test of the file: those before it have recorded the blocks that they run."""
    unknown = [block for block in blocks if not any(text in block for text in [*LEFT, *RUN])]
    assert unknown == []
    assert all(any(text in block for block in blocks) for text in LEFT)
