"""docs/guides/columnar-operations.md works as printed: each block of Python runs here."""

import os
import pathlib
import re
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import ray
import ray.data
from shuffles import stored, write

from blobshuffle import read
from blobshuffle.cli import main

PAGE = (pathlib.Path(__file__).parents[2] / "docs/guides/columnar-operations.md").read_text("utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_the_blocks_run_in_their_order(tmp_path, capsys):
    """Names of one block are known in those after it, except where Ray and DataFusion begin."""
    page: dict[str, Any] = {}
    rows, refs, in_order, parts, on_ray, engines, blobs = [
        block.replace("/mnt/blobs", str(tmp_path)) for block in BLOCKS
    ]
    exec(rows, page)
    assert "[{'name': 'ann', 'total': 12}, {'name': None, 'total': 8}" in capsys.readouterr().out
    exec(refs, page)
    assert capsys.readouterr().out == "[{'customer': 3, 'total': 8}]\n"
    exec(in_order, page)
    (figures,) = page["figures"].read_all().filter(pc.field("customer") == 1).to_pylist()
    assert figures == {"customer": 1, "mean": 6.0, "median": 6.0, "p90": 6.8}
    exec(engines, page)
    assert "('ann', 12)" in capsys.readouterr().out
    assert page["frame"].height == 3
    assert stored(tmp_path) == []
    ref = write(tmp_path, page["orders"], 2)
    exec(blobs, page | {"shuffle": ref.shuffle, "ref": ref})
    assert "4}]" in capsys.readouterr().out
    exec(parts, page)
    found = list(page["tasks"]([ref], 1))
    assert found == [(0, range(1)), (1, range(1))]
    counts = [page["rows"]([ref], *task).read_all().num_rows for task in found]
    assert counts == [read([ref], number).read_all().num_rows for number in range(2)]
    assert "blobshuffle.ray.join" in on_ray


def test_the_block_of_ray_runs(tmp_path):
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    block = next(block for block in BLOCKS if "import blobshuffle.ray" in block)
    block = block.replace("s3://bucket/shuffles", str(tmp_path)).replace("100", "4")
    ray.init(
        num_cpus=2, include_dashboard=False, object_store_memory=128 << 20, log_to_driver=False
    )
    try:
        orders = pa.table({"customer": [1, 2, 1, 3], "total": [5, 6, 7, 8]})
        customers = pa.table({"customer": [1, 2], "name": ["ann", "bob"]})
        page: dict[str, Any] = {
            "dataset": ray.data.from_arrow(orders),
            "customers": ray.data.from_arrow(customers),
        }
        exec(block, page)
        assert page["spread"].count() == 4
        assert [row["total"] for row in page["ordered"].take_all()] == [7, 5, 6, 8]
        for name, column, expected in (
            ("totals", "total", {1: 12, 2: 6, 3: 8}),
            ("largest", "total", {1: 7, 2: 6, 3: 8}),
            ("named", "name", {1: "ann", 2: "bob", 3: None}),
        ):
            assert {row["customer"]: row[column] for row in page[name].take_all()} == expected
    finally:
        ray.shutdown()


def test_the_command_runs(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table({"customer": range(100)}), "orders.parquet")
    (line,) = re.findall(r"^    blobshuffle-py (.*)$", PAGE, re.MULTILINE)
    assert main(line.replace("/mnt/", f"{tmp_path}/").split()) == 0
    assert "partitions=7451" in capsys.readouterr().out
