import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

PROGRAMS = Path(__file__).parents[1] / "bench" / "flight"


@pytest.fixture
def rows(tmp_path):
    directory = tmp_path / "rows"
    directory.mkdir()
    for number in range(3):
        keys = np.arange(number, 30_000, 3)
        table = pa.table({"l_orderkey": keys, "l_comment": [f"row {key}" for key in keys]})
        pq.write_table(table, directory / f"lineitem-{number:02}.parquet")
    script = (
        "import data, json, pathlib, sys; d = pathlib.Path(sys.argv[1]); "
        "files = sorted(d.glob('*.parquet')); "
        "(d / 'expected.json').write_text(json.dumps(data.describe(files))); "
        "(d / 'expected-7.json').write_text(json.dumps(data.expect(files, 7)))"
    )
    subprocess.run([sys.executable, "-c", script, directory], cwd=PROGRAMS, check=True)
    return directory


def measure(rows, tmp_path):
    files = tmp_path / "files"
    files.mkdir(exist_ok=True)
    log = tmp_path / "log"
    command = [
        sys.executable, PROGRAMS / "measure.py", "--system", "blobs", "--data", rows,
        "--partitions", "7", "--codec", "lz4", "--directory", files, "--log", log,
        "--limit", "120",
    ]  # fmt: skip
    environment = os.environ | {"PYTHONPATH": str(PROGRAMS.parent)}
    printed = subprocess.run(
        command, check=True, capture_output=True, text=True, env=environment
    ).stdout
    return dict(line.split("=", 1) for line in printed.splitlines()), log.read_text()


def test_a_run_counts_all_processes_and_checks_each_partition(rows, tmp_path):
    found, log = measure(rows, tmp_path)
    assert found["problem"] == "", log
    assert found["count"] == "30000"
    assert found["sum"] == str(sum(range(30_000)))
    assert found["checks_partitions"] == "true"
    assert float(found["cpu_seconds"]) > 0
    assert int(found["peak_memory_bytes"]) > 10 << 20


def test_rows_in_the_wrong_partition_make_a_run_void(rows, tmp_path):
    path = rows / "expected-7.json"
    expected = json.loads(path.read_text())
    expected["sums"][0] += 1
    expected["sums"][1] -= 1
    path.write_text(json.dumps(expected))
    found, _ = measure(rows, tmp_path)
    assert found["problem"] == "the sums of the partitions differ from those of the rows"


def test_a_program_that_fails_makes_a_run_void(rows, tmp_path):
    (rows / "lineitem-01.parquet").write_bytes(b"not parquet")
    found, log = measure(rows, tmp_path)
    assert found == {"problem": "it ended before it was done"}
    assert "Parquet" in log


def serving(system, codec, server, stream):
    costs = f"[serving.Cost({server}, 0.1, 1.0, 1.0, {stream})] * 2"
    return f"serving.row(('{system}', '{codec}'), {costs})"


def test_serving_says_which_goals_are_met():
    rows = [
        serving("flight", "lz4", 0.24, 0.5),
        serving("flight", "none", 0.6, 1.0),
        serving("daft", "lz4", 0.2, 1.0),
        serving("daft", "none", 0.5, 1.1),
        serving("http", "lz4", 0.21, None),
    ]
    script = (
        f"import serving; rows = [{', '.join(rows)}]; "
        "print(serving.table(rows)); print(*serving.goals(rows), sep='\\n')"
    )
    found = subprocess.run(
        [sys.executable, "-c", script], cwd=PROGRAMS, check=True, capture_output=True, text=True
    ).stdout
    assert "| flight | lz4 | 0.24 (0.24-0.24) | 0.10 | 1.00 | 1000 | 2000 |" in found
    assert found.splitlines()[-5:] == [
        "MISSED flight, none: server CPU-s per GB: 0.60, goal at most 0.5",
        "met    flight, lz4: server CPU-s per GB: 0.24, goal at most 0.25",
        "MISSED http, lz4: server CPU-s per GB: 0.21, goal at most 0.2",
        "MISSED flight, none: one stream, as a multiple of Daft's: 1.10, goal at least 1.2",
        "met    flight, lz4: one stream, as a multiple of Daft's: 2.00, goal at least 1.8",
    ]
