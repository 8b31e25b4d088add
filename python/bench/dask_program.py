"""Measures a Dask program through blobs beside Dask's own shuffles, on frames beyond memory.

    python bench/dask_program.py --parts 40 --rows 400000 --limit 400

The program merges two frames, aggregates by a key with many groups, and sorts the result. Its
input partitions are made where they are needed. Two workers of one thread may take `--limit` MiB
each. Each way runs in processes of its own, in turn, three times; every result is compared. CPU
seconds (user and system) are those of all processes from the start of the program to its end, and
memory is the sum of their proportional set sizes at its peak. Linux only.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).with_name("flight")))
from processes import Watch, adopt_orphans, end_descendants

WAYS = ["blobs", "p2p", "tasks"]
WORKERS = 2
MEMORY = 64 << 20


def orders(part: int, rows: int, customers: int) -> pd.DataFrame:
    """Make an input partition: 48 bytes a row, and a text."""
    random = np.random.default_rng(part)
    customer = random.integers(0, customers, rows)
    columns = {name: random.random(rows) for name in ("a", "b", "c")}
    texts = np.array([f"order of kind {n}" for n in range(100)])[customer % 100]
    return pd.DataFrame({"customer": customer, "total": customer % 97} | columns | {"text": texts})


def customers_of(part: int, parts: int, customers: int) -> pd.DataFrame:
    """Make a part of the customers."""
    number = np.arange(part, customers, parts)
    names = pd.Series(number).astype(str).radd("customer ")
    return pd.DataFrame({"customer": number, "city": number % 1000, "name": names})


def program(parts: int, rows: int) -> Any:
    """Return the best customers, and what they ordered."""
    import dask.dataframe as dd

    count = parts * rows // 8
    left = dd.from_map(orders, range(parts), rows=rows, customers=count)
    right = dd.from_map(customers_of, range(parts), parts=parts, customers=count)
    merged = left.merge(right, on="customer", how="left", broadcast=False)
    totals = merged.groupby(["customer", "name"], sort=False).agg(
        {"total": "sum", "a": "max", "text": "first", "city": "count"}, split_out=parts
    )
    return totals.reset_index().sort_values(["total", "customer"])


def summary(part: pd.DataFrame) -> pd.DataFrame:
    """Return what is compared: rows, sums, and whether the partition is sorted."""
    total = part["total"]
    return pd.DataFrame(
        {
            "groups": [len(part)],
            "rows": [int(part["city"].sum())],
            "total": [int(total.sum())],
            "is_sorted": [bool(total.is_monotonic_increasing)],
        }
    )


def run(parts: int, rows: int) -> pd.DataFrame:
    """Run the program.

    The plan is made before the result is asked for: before Python 3.12, `compute` would hold a
    lock of `functools.cached_property` that a scheduler in this process needs to sample the sort.
    """
    return program(parts, rows).optimize().map_partitions(summary).compute()


def work(way: str, parts: int, rows: int, limit: int, directory: str) -> None:
    """Run one way: print a line when it may begin, and one with the result."""
    import dask
    from dask.distributed import Client, LocalCluster

    import blobshuffle.dask

    dask.config.set({"dataframe.shuffle.method": way, "temporary-directory": directory})
    with (
        LocalCluster(
            n_workers=WORKERS,
            threads_per_worker=1,
            memory_limit=limit << 20,
            dashboard_address=None,
            local_directory=directory,
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster),
    ):
        session = blobshuffle.dask.enable(f"{directory}/blobs", memory=MEMORY)
        dask.config.set({"dataframe.shuffle.method": way})
        run(2, 1000)
        print("ready", flush=True)
        sys.stdin.readline()
        found = run(parts, rows)
        sums = {name: int(found[name].sum()) for name in ("groups", "rows", "total")}
        print(json.dumps(sums | {"is_sorted": bool(found["is_sorted"].all())}), flush=True)
        sys.stdin.readline()
        session.close()


def measure(way: str, options: argparse.Namespace) -> dict[str, Any]:
    """Run one way in processes and a directory of its own."""
    directory = tempfile.mkdtemp(dir=options.directory)
    command = [sys.executable, __file__, "--way", way, "--directory", directory]
    for name in ("parts", "rows", "limit"):
        command += [f"--{name}", str(getattr(options, name))]
    watch = Watch(Path(directory))
    watch.start()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin
    assert process.stdout
    try:
        process.stdout.readline()
        watch.forget_peaks()
        before, start = watch.look(), time.monotonic()
        print("go", file=process.stdin, flush=True)
        line = process.stdout.readline()
        wall, after = time.monotonic() - start, watch.look()
        if not line:
            process.kill()
            process.wait()
            return {"problem": "it failed"}
        process.communicate("end\n")
        return json.loads(line) | {
            "wall": wall,
            "cpu": after.cpu - before.cpu,
            "memory": watch.peak_memory,
            "disk": watch.peak_disk,
        }
    finally:
        watch.stop()
        end_descendants()
        shutil.rmtree(directory, ignore_errors=True)


def wrong(found: dict[str, Any], options: argparse.Namespace) -> str | None:
    """Compare a result with the rows that were made."""
    count = options.parts * options.rows // 8
    groups = total = 0
    seen = np.zeros(count, bool)
    for part in range(options.parts):
        customer = orders(part, options.rows, count)["customer"].to_numpy()
        seen[customer] = True
        total += int((customer % 97).sum())
    groups = int(seen.sum())
    expected = {
        "groups": groups,
        "rows": options.parts * options.rows,
        "total": total,
        "is_sorted": True,
    }
    differing = {name: found[name] for name in expected if found[name] != expected[name]}
    return f"{differing} of {expected}" if differing else None


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", type=int, default=40)
    parser.add_argument("--rows", type=int, default=400_000)
    parser.add_argument("--limit", type=int, default=400, help="MiB for each worker")
    parser.add_argument("--ways", nargs="+", default=WAYS)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--directory", default=os.environ.get("TMPDIR"))
    parser.add_argument("--way", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.way:
        work(options.way, options.parts, options.rows, options.limit, options.directory)
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    adopt_orphans()
    results: dict[str, list[dict[str, Any]]] = {way: [] for way in options.ways}
    for _ in range(options.runs):
        for way in options.ways:
            found = measure(way, options)
            problem = found.get("problem") or wrong(found, options)
            print(f"{way}: {problem or found}", file=sys.stderr, flush=True)
            if problem is None:
                results[way].append(found)
    print("| way | CPU-s | wall s | peak memory MB | peak disk MB | runs |")
    print("|---|---|---|---|---|---|")
    for way, runs in results.items():
        columns = [[run[name] for run in runs] for name in ("cpu", "wall", "memory", "disk")]
        texts = [
            f"{statistics.median(column) / unit:.1f} ({min(column) / unit:.1f} to "
            f"{max(column) / unit:.1f})"
            for column, unit in zip(columns, (1, 1, 1e6, 1e6), strict=True)
            if column
        ]
        print(f"| {way} | {' | '.join(texts or ['failed'] * 4)} | {len(runs)} |")


if __name__ == "__main__":
    main()
