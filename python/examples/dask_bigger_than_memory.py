"""Shuffles a Dask frame that is bigger than memory, and sums it by customer.

    python examples/dask_bigger_than_memory.py STORE [PARTS [ROWS]]

STORE is a directory or a URI such as s3://bucket/prefix?region=eu-central-1. PARTS input partitions
of ROWS rows are made one by one, 40 bytes a row.
"""

import sys

import dask.dataframe as dd
import numpy as np
import pandas as pd

import blobshuffle.dask
from blobshuffle import new_shuffle, releasing

CUSTOMERS = 10_000


def orders(part: int, rows: int) -> pd.DataFrame:
    """Make an input partition: the customer, the total, and the other columns of an order."""
    random = np.random.default_rng(part)
    customer = random.integers(0, CUSTOMERS, rows)
    columns = {"customer": customer, "total": customer % 97}
    return pd.DataFrame(columns | {name: random.random(rows) for name in ("a", "b", "c")})


def totals(part: pd.DataFrame) -> pd.DataFrame:
    """Sum the totals of each customer. All rows of a customer are in one partition."""
    return part.groupby("customer", as_index=False).agg(n=("total", "size"), total=("total", "sum"))


def run(store: str, parts: int = 16, rows: int = 500_000, scheduler: str = "threads") -> None:
    """Shuffle, sum, compare, and print."""
    frame = dd.from_map(orders, range(parts), rows=rows, meta=orders(0, 1))
    with releasing(store, new_shuffle("orders")) as name:
        shuffled = blobshuffle.dask.shuffle(
            frame, "customer", parts, store=store, shuffle=name, memory=32 << 20
        )
        found = shuffled.map_partitions(totals).compute(scheduler=scheduler, num_workers=1)
    if not (found.customer.is_unique and found.n.sum() == parts * rows):
        raise SystemExit(f"{found.n.sum()} rows, {parts * rows} were written")
    if not (found.total == found.n * (found.customer % 97)).all():
        raise SystemExit("sums differ")
    print(f"{len(found)} customers, {found.n.sum()} rows, {40 * parts * rows >> 20} MiB")


if __name__ == "__main__":
    run(sys.argv[1], *(int(argument) for argument in sys.argv[2:]))
