"""Merges, aggregates and sorts Dask frames that are bigger than memory, through blobs.

    python examples/dask_program.py STORE [PARTS [ROWS]]

STORE is a directory or a URI such as s3://bucket/prefix?region=eu-central-1. PARTS input partitions
of ROWS orders are made one by one, 40 bytes a row. The program is plain Dask; the one line that
calls `enable` lets it shuffle through blobs.
"""

import sys

import dask.dataframe as dd
import numpy as np
import pandas as pd

import blobshuffle.dask

CUSTOMERS = 10_000


def orders(part: int, rows: int) -> pd.DataFrame:
    """Make an input partition: the customer, the total, and the other columns of an order."""
    random = np.random.default_rng(part)
    customer = random.integers(0, CUSTOMERS, rows)
    columns = {"customer": customer, "total": customer % 97}
    return pd.DataFrame(columns | {name: random.random(rows) for name in ("a", "b", "c")})


def customers(part: int, parts: int) -> pd.DataFrame:
    """Make a part of the customers."""
    number = np.arange(part, CUSTOMERS, parts)
    return pd.DataFrame({"number": number, "city": number % 7})


def program(parts: int, rows: int) -> dd.DataFrame:
    """Return the orders of each customer with its city, by falling total."""
    whole = dd.from_map(orders, range(parts), rows=rows, meta=orders(0, 1))
    known = dd.from_map(customers, range(parts), parts=parts, meta=customers(0, parts))
    merged = whole.merge(known, left_on="customer", right_on="number", how="left", broadcast=False)
    totals = merged.groupby(["customer", "city"]).agg(
        {"total": ["sum", "count"], "a": "max"}, split_out=parts
    )
    totals.columns = ["total", "orders", "most"]
    return totals.reset_index().sort_values(["total", "customer"], ascending=False)


def run(store: str, parts: int = 16, rows: int = 500_000, scheduler: str = "threads") -> None:
    """Run the program, check its result, and print."""
    with blobshuffle.dask.enable(store, memory=32 << 20):
        found = program(parts, rows).compute(scheduler=scheduler, num_workers=1)
    if not (found.customer.is_unique and found.orders.sum() == parts * rows):
        raise SystemExit(f"{found.orders.sum()} rows, {parts * rows} were written")
    if not (found.total == found.orders * (found.customer % 97)).all():
        raise SystemExit("sums differ")
    if not (found.total.is_monotonic_decreasing and (found.city == found.customer % 7).all()):
        raise SystemExit("order or cities differ")
    print(f"{len(found)} customers, {found.orders.sum()} rows, {40 * parts * rows >> 20} MiB")


if __name__ == "__main__":
    run(sys.argv[1], *(int(argument) for argument in sys.argv[2:]))
