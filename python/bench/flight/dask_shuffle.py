"""Dask's P2P shuffle, on workers of one thread each."""

from __future__ import annotations

import logging
from typing import Any

import protocol

WORKERS = 2
KEY = "l_orderkey"


def count(part: Any) -> Any:
    """Count the rows of a partition, every column, and add up the keys."""
    import pandas as pd

    if part.isna().any().any():
        raise AssertionError("values are missing")
    return pd.DataFrame({"n": [len(part)], "total": [int(part[KEY].sum())]})


def shuffle(task: protocol.Task) -> dict[str, Any]:
    """Shuffle, then count."""
    import dask.dataframe as dd

    rows = dd.read_parquet(task.data, split_row_groups=True)
    parts = rows.shuffle(KEY, npartitions=task.partitions).map_partitions(
        count, meta={"n": "i8", "total": "i8"}
    )
    found = parts.compute()
    return {
        "count": int(found["n"].sum()),
        "sum": int(found["total"].sum()),
        "counts": found["n"].tolist(),
        "sums": found["total"].tolist(),
    }


def main() -> None:
    """Start the workers, then work."""
    import dask
    import pandas as pd
    from dask.distributed import Client, LocalCluster

    task = protocol.task()
    dask.config.set(
        {
            "dataframe.shuffle.method": "p2p",
            "dataframe.convert-string": True,
            "temporary-directory": task.directory,
            "distributed.comm.compression": None,
        }
    )
    with (
        LocalCluster(
            n_workers=WORKERS,
            threads_per_worker=1,
            dashboard_address=None,
            local_directory=task.directory,
            silence_logs=logging.ERROR,
        ) as cluster,
        Client(cluster),
    ):
        import dask.dataframe as dd

        warm = dd.from_pandas(pd.DataFrame({"x": range(10)}), npartitions=2)
        warm.shuffle("x", npartitions=2).compute()
        protocol.measured(lambda: shuffle(task))


if __name__ == "__main__":
    main()
