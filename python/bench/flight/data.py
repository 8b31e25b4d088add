"""Makes the rows that are shuffled: TPC-H's lineitem, and the expected counts of a shuffle.

    python data.py --scale 1 --parts 16 --partitions 100 1000 --directory DIR

Files that are there already are kept. The types are those that every system reads: strings
instead of string views, decimals as they are; Snappy, 250,000 rows in a row group.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import blobshuffle

KEY = "l_orderkey"
_ROWS_PER_GROUP = 250_000
_compute: Any = pc


def make(scale: float, parts: int, directory: Path) -> None:
    """Make the files."""
    raw = directory / "raw"
    shutil.rmtree(raw, ignore_errors=True)
    generator = Path(sys.executable).with_name("tpchgen-cli")
    subprocess.run(
        [generator, "parquet", "-s", str(scale), "--tables=lineitem", f"--parts={parts}",
         f"--output-dir={raw}"],
        check=True,
    )  # fmt: skip
    for number, file in enumerate(sorted(raw.rglob("*.parquet"))):
        source = pq.ParquetFile(file)
        schema = pa.schema([_plain(field) for field in source.schema_arrow])
        target = directory / f"lineitem-{number:02}.parquet.tmp"
        with pq.ParquetWriter(target, schema, compression="snappy") as writer:
            for batch in source.iter_batches(_ROWS_PER_GROUP):
                table = pa.Table.from_batches([batch]).cast(schema)
                writer.write_table(table, row_group_size=_ROWS_PER_GROUP)
        file.unlink()
        target.rename(target.with_suffix(""))
    shutil.rmtree(raw)


def _plain(field: pa.Field) -> pa.Field:
    return field.with_type(pa.string()) if pa.types.is_string_view(field.type) else field


def expect(files: list[Path], partitions: int) -> dict[str, Any]:
    """Return rows and sum of keys of each partition, as the package divides them."""
    counts = np.zeros(partitions, np.int64)
    sums = np.zeros(partitions, np.int64)
    for file in files:
        table = pq.read_table(file, columns=[KEY])
        ids = blobshuffle.partition_ids(table, [KEY], partitions).to_numpy()
        counts += np.bincount(ids, minlength=partitions)
        np.add.at(sums, ids, table[KEY].to_numpy())
    return {"counts": counts.tolist(), "sums": sums.tolist()}


def describe(files: list[Path]) -> dict[str, Any]:
    """Return rows, sum of keys, and bytes in memory of all rows."""
    rows = size = total = 0
    for file in files:
        for batch in pq.ParquetFile(file).iter_batches(_ROWS_PER_GROUP):
            rows, size = rows + batch.num_rows, size + batch.nbytes
            total += _compute.sum(batch[KEY]).as_py()
    return {"count": rows, "sum": total, "bytes": size}


def main() -> None:
    """Make the missing files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, required=True)
    parser.add_argument("--parts", type=int, default=16)
    parser.add_argument("--partitions", type=int, nargs="+", required=True)
    parser.add_argument("--directory", type=Path, required=True)
    options = parser.parse_args()
    directory: Path = options.directory
    directory.mkdir(parents=True, exist_ok=True)
    if not (directory / "expected.json").exists():
        make(options.scale, options.parts, directory)
        _write(directory / "expected.json", describe(_files(directory)))
    for partitions in options.partitions:
        target = directory / f"expected-{partitions}.json"
        if not target.exists():
            _write(target, expect(_files(directory), partitions))
    for name, value in json.loads((directory / "expected.json").read_text()).items():
        print(f"{name}={value}")


def _files(directory: Path) -> list[Path]:
    return sorted(directory.glob("*.parquet"))


def _write(target: Path, value: Any) -> None:
    temporary = target.with_suffix(".tmp")
    temporary.write_text(json.dumps(value))
    temporary.rename(target)


if __name__ == "__main__":
    main()
