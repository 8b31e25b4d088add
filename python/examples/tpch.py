"""TPC-H queries 3, 5, 9 and 18, as you would write them for rows of any number.

    python examples/tpch.py STORE [--engine dask|ray|arrow] [--scale 1] [--partitions 16]

Dask's own operations shuffle through blobs. On Ray Datasets, `blobshuffle.ray` joins, aggregates
and sorts, and on Arrow rows of one process the functions of `blobshuffle`. The program makes the
tables with `tpchgen-cli`, compares each result with DuckDB's, and prints the seconds of each query.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

import blobshuffle

_compute: Any = pc

TABLES = ["customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier"]

SQL = {
    "q3": """
        select l_orderkey, sum(l_extendedprice * (1 - l_discount)) as revenue, o_orderdate,
            o_shippriority
        from customer, orders, lineitem
        where c_mktsegment = 'BUILDING' and c_custkey = o_custkey and l_orderkey = o_orderkey
            and o_orderdate < date '1995-03-15' and l_shipdate > date '1995-03-15'
        group by l_orderkey, o_orderdate, o_shippriority
        order by revenue desc, o_orderdate limit 10""",
    "q5": """
        select n_name, sum(l_extendedprice * (1 - l_discount)) as revenue
        from customer, orders, lineitem, supplier, nation, region
        where c_custkey = o_custkey and l_orderkey = o_orderkey and l_suppkey = s_suppkey
            and c_nationkey = s_nationkey and s_nationkey = n_nationkey
            and n_regionkey = r_regionkey and r_name = 'ASIA'
            and o_orderdate >= date '1994-01-01' and o_orderdate < date '1995-01-01'
        group by n_name order by revenue desc""",
    "q9": """
        select n_name, year(o_orderdate)::int as year,
            sum(l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity) as amount
        from part, supplier, lineitem, partsupp, orders, nation
        where s_suppkey = l_suppkey and ps_suppkey = l_suppkey and ps_partkey = l_partkey
            and p_partkey = l_partkey and o_orderkey = l_orderkey and s_nationkey = n_nationkey
            and p_name like '%green%'
        group by n_name, year order by n_name, year desc""",
    "q18": """
        select c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice,
            sum(l_quantity) as l_quantity
        from customer, orders, lineitem
        where o_orderkey in (
                select l_orderkey from lineitem group by l_orderkey having sum(l_quantity) > 300)
            and c_custkey = o_custkey and o_orderkey = l_orderkey
        group by all order by o_totalprice desc, o_orderdate limit 100""",
}
"""The queries, with the parameters by which TPC-H validates results."""


def make(directory: Path, scale: float, parts: int) -> None:
    """Make the tables with TPC-H's generator, as most programs have them: floats for decimals."""
    raw = directory / "raw"
    program = Path(sys.executable).with_name("tpchgen-cli")
    tables = f"--tables={','.join(TABLES)}"
    arguments = ["parquet", "-s", str(scale), f"--parts={parts}", tables, f"--output-dir={raw}"]
    subprocess.run([program, *arguments], check=True)
    for file in sorted(raw.rglob("*.parquet")):
        source = pq.ParquetFile(file)
        schema = pa.schema([field.with_type(_type(field.type)) for field in source.schema_arrow])
        target = directory / file.parent.name / file.name
        target.parent.mkdir(exist_ok=True)
        with pq.ParquetWriter(target, schema) as writer:
            for batch in source.iter_batches():
                writer.write_table(pa.Table.from_batches([batch]).cast(schema))
    shutil.rmtree(raw)


def _type(data_type: Any) -> pa.DataType:
    if pa.types.is_decimal(data_type):
        return pa.float64()
    if pa.types.is_date(data_type):
        return pa.timestamp("us")
    return pa.string() if pa.types.is_string_view(data_type) else data_type


def expected(directory: Path, query: str) -> pd.DataFrame:
    """Return DuckDB's result."""
    import duckdb

    with duckdb.connect() as connection:
        for table in TABLES:
            connection.execute(f"create view {table} as from '{directory / table}/*.parquet'")
        return connection.execute(SQL[query]).df()


def verify(found: pd.DataFrame, wanted: pd.DataFrame) -> None:
    """Raise `AssertionError` if a result differs from DuckDB's."""
    pd.testing.assert_frame_equal(
        found.reset_index(drop=True), wanted, check_dtype=False, rtol=1e-9, check_names=False
    )


def day(year: int, month: int = 1, of_month: int = 1) -> pd.Timestamp:
    """Return a date as the tables have it."""
    return pd.Timestamp(year, month, of_month)


class OnDask:
    """The queries with Dask. Each returns a data frame in the order of the query."""

    def __init__(self, directory: Path, partitions: int) -> None:
        """Read tables."""
        import dask.dataframe as dd

        self._partitions = partitions
        self._table = {name: dd.read_parquet(directory / name) for name in TABLES}

    def _sum(self, rows: Any, keys: list[str], column: str) -> Any:
        groups = rows.groupby(keys)[column].sum(split_out=self._partitions)
        return groups.reset_index()

    def q3(self) -> Any:
        """Return the ten orders not shipped on a day with the highest revenue."""
        customer, orders, lineitem = (self._table[n] for n in ("customer", "orders", "lineitem"))
        rows = (
            customer[customer.c_mktsegment == "BUILDING"][["c_custkey"]]
            .merge(orders[orders.o_orderdate < day(1995, 3, 15)], left_on="c_custkey",
                   right_on="o_custkey")
            .merge(lineitem[lineitem.l_shipdate > day(1995, 3, 15)], left_on="o_orderkey",
                   right_on="l_orderkey")
        )  # fmt: skip
        rows["revenue"] = rows.l_extendedprice * (1 - rows.l_discount)
        keys = ["l_orderkey", "o_orderdate", "o_shippriority"]
        found = self._sum(rows, keys, "revenue")
        ordered = found.sort_values(["revenue", "o_orderdate"], ascending=[False, True])
        return ordered.head(10, npartitions=-1)[["l_orderkey", "revenue", *keys[1:]]]

    def q5(self) -> Any:
        """Return the revenue of each nation of a region with local suppliers in a year."""
        orders, region = self._table["orders"], self._table["region"]
        is_of_year = (orders.o_orderdate >= day(1994)) & (orders.o_orderdate < day(1995))
        nations = self._table["nation"].merge(
            region[region.r_name == "ASIA"], left_on="n_regionkey", right_on="r_regionkey"
        )
        suppliers = self._table["supplier"].merge(
            nations, left_on="s_nationkey", right_on="n_nationkey"
        )
        rows = (
            self._table["customer"]
            .merge(orders[is_of_year], left_on="c_custkey", right_on="o_custkey")
            .merge(self._table["lineitem"], left_on="o_orderkey", right_on="l_orderkey")
            .merge(suppliers, left_on=["l_suppkey", "c_nationkey"],
                   right_on=["s_suppkey", "s_nationkey"])
        )  # fmt: skip
        rows["revenue"] = rows.l_extendedprice * (1 - rows.l_discount)
        found = self._sum(rows, ["n_name"], "revenue")
        return found.sort_values("revenue", ascending=False).compute()

    def q9(self) -> Any:
        """Return the profit on parts of a colour for each nation and year."""
        part = self._table["part"]
        rows = (
            part[part.p_name.str.contains("green")][["p_partkey"]]
            .merge(self._table["lineitem"], left_on="p_partkey", right_on="l_partkey")
            .merge(self._table["partsupp"], left_on=["l_partkey", "l_suppkey"],
                   right_on=["ps_partkey", "ps_suppkey"])
            .merge(self._table["supplier"], left_on="l_suppkey", right_on="s_suppkey")
            .merge(self._table["nation"], left_on="s_nationkey", right_on="n_nationkey")
            .merge(self._table["orders"][["o_orderkey", "o_orderdate"]], left_on="l_orderkey",
                   right_on="o_orderkey")
        )  # fmt: skip
        rows["amount"] = (
            rows.l_extendedprice * (1 - rows.l_discount) - rows.ps_supplycost * rows.l_quantity
        )
        rows["year"] = rows.o_orderdate.dt.year
        found = self._sum(rows, ["n_name", "year"], "amount")
        return found.sort_values(["n_name", "year"], ascending=[True, False]).compute()

    def q18(self) -> Any:
        """Return the 100 most expensive orders of more than 300 pieces."""
        lineitem = self._table["lineitem"]
        sums = self._sum(lineitem, ["l_orderkey"], "l_quantity")
        rows = (
            sums[sums.l_quantity > 300]
            .merge(self._table["orders"], left_on="l_orderkey", right_on="o_orderkey")
            .merge(self._table["customer"], left_on="o_custkey", right_on="c_custkey")
        )
        ordered = rows.sort_values(["o_totalprice", "o_orderdate"], ascending=[False, True])
        names = ["c_name", "c_custkey", "o_orderkey", "o_orderdate", "o_totalprice", "l_quantity"]
        return ordered[names].head(100, npartitions=-1)


class OnRows:
    """The queries by operations of this package, like those of `OnDask`."""

    def __init__(self, directory: Path, partitions: int, store: str) -> None:
        """Remember where the tables are, and where shuffles go."""
        self._directory = directory
        self._options: dict[str, Any] = {"store": store, "partitions": partitions}

    def _read(self, directory: str, columns: list[str]) -> Any:
        raise NotImplementedError

    def _each(self, rows: Any, function: Any) -> Any:
        raise NotImplementedError

    def _join(self, left: Any, right: Any, on: Any, right_on: Any) -> Any:
        raise NotImplementedError

    def _sum(self, rows: Any, keys: list[str], column: str) -> Any:
        raise NotImplementedError

    def _sorted(self, rows: Any, by: list[Any], columns: list[str], limit: int = 1000) -> Any:
        raise NotImplementedError

    def _table(self, name: str, *columns: str, where: Any = None) -> Any:
        rows = self._read(str(self._directory / name), [*columns])
        return rows if where is None else self._where(rows, where)

    def _where(self, rows: Any, condition: Any) -> Any:
        return self._each(rows, lambda table: table.filter(condition))

    def _with(self, rows: Any, name: str, values: Any) -> Any:
        return self._each(rows, lambda table: table.append_column(name, values(table)))

    def q3(self) -> Any:
        """Return the ten orders not shipped on a day with the highest revenue."""
        customer = self._table(
            "customer", "c_custkey", "c_mktsegment", where=pc.field("c_mktsegment") == "BUILDING"
        )
        orders = self._table("orders", "o_orderkey", "o_custkey", "o_orderdate", "o_shippriority",
                             where=pc.field("o_orderdate") < day(1995, 3, 15))  # fmt: skip
        lineitem = self._table("lineitem", "l_orderkey", "l_extendedprice", "l_discount",
                               "l_shipdate",
                               where=pc.field("l_shipdate") > day(1995, 3, 15))  # fmt: skip
        rows = self._join(customer, orders, "c_custkey", "o_custkey")
        rows = self._join(rows, lineitem, "o_orderkey", "l_orderkey")
        keys = ["l_orderkey", "o_orderdate", "o_shippriority"]
        found = self._sum(self._with(rows, "revenue", _revenue), keys, "revenue")
        columns = ["l_orderkey", "revenue", *keys[1:]]
        return self._sorted(found, [("revenue", "descending"), "o_orderdate"], columns, 10)

    def q5(self) -> Any:
        """Return the revenue of each nation of a region with local suppliers in a year."""
        is_of_year = (pc.field("o_orderdate") >= day(1994)) & (pc.field("o_orderdate") < day(1995))
        orders = self._table("orders", "o_orderkey", "o_custkey", "o_orderdate", where=is_of_year)
        lineitem = self._table(
            "lineitem", "l_orderkey", "l_suppkey", "l_extendedprice", "l_discount"
        )
        nations = self._nations("ASIA")
        suppliers = self._each(
            self._table("supplier", "s_suppkey", "s_nationkey"),
            lambda table: table.join(nations, "s_nationkey", "n_nationkey", "inner"),
        )
        rows = self._join(
            self._table("customer", "c_custkey", "c_nationkey"), orders, "c_custkey", "o_custkey"
        )
        rows = self._join(rows, lineitem, "o_orderkey", "l_orderkey")
        rows = self._join(
            rows, suppliers, ["l_suppkey", "c_nationkey"], ["s_suppkey", "s_nationkey"]
        )
        found = self._sum(self._with(rows, "revenue", _revenue), ["n_name"], "revenue")
        return self._sorted(found, [("revenue", "descending")], ["n_name", "revenue"])

    def q9(self) -> Any:
        """Return the profit on parts of a colour for each nation and year."""
        part = self._table(
            "part",
            "p_partkey",
            "p_name",
            where=_compute.match_substring(pc.field("p_name"), "green"),
        )
        nations = self._nations()
        suppliers = self._each(
            self._table("supplier", "s_suppkey", "s_nationkey"),
            lambda table: table.join(nations, "s_nationkey", "n_nationkey", "inner"),
        )
        lineitem = self._table("lineitem", "l_orderkey", "l_partkey", "l_suppkey", "l_quantity",
                               "l_extendedprice", "l_discount")  # fmt: skip
        costs = self._table("partsupp", "ps_partkey", "ps_suppkey", "ps_supplycost")
        rows = self._join(part, lineitem, "p_partkey", "l_partkey")
        rows = self._join(rows, costs, ["l_partkey", "l_suppkey"], ["ps_partkey", "ps_suppkey"])
        rows = self._join(rows, suppliers, "l_suppkey", "s_suppkey")
        orders = self._table("orders", "o_orderkey", "o_orderdate")
        rows = self._join(rows, orders, "l_orderkey", "o_orderkey")
        rows = self._with(rows, "year", lambda table: _compute.year(table["o_orderdate"]))
        found = self._sum(self._with(rows, "amount", _profit), ["n_name", "year"], "amount")
        columns = ["n_name", "year", "amount"]
        return self._sorted(found, ["n_name", ("year", "descending")], columns)

    def q18(self) -> Any:
        """Return the 100 most expensive orders of more than 300 pieces."""
        lineitem = self._table("lineitem", "l_orderkey", "l_quantity")
        sums = self._where(
            self._sum(lineitem, ["l_orderkey"], "l_quantity"), pc.field("l_quantity") > 300
        )
        orders = self._table("orders", "o_orderkey", "o_custkey", "o_orderdate", "o_totalprice")
        rows = self._join(sums, orders, "l_orderkey", "o_orderkey")
        rows = self._join(
            rows, self._table("customer", "c_custkey", "c_name"), "o_custkey", "c_custkey"
        )
        names = ["c_name", "c_custkey", "o_orderkey", "o_orderdate", "o_totalprice", "l_quantity"]
        return self._sorted(rows, [("o_totalprice", "descending"), "o_orderdate"], names, 100)

    def _nations(self, region: str | None = None) -> pa.Table:
        """Return the nations of a region or of all: few rows, that each task gets."""
        nations, regions = (pq.read_table(self._directory / name) for name in ("nation", "region"))
        if region is not None:
            regions = regions.filter(pc.field("r_name") == region)
        found = nations.join(regions, "n_regionkey", "r_regionkey", "inner")
        return found.select(["n_nationkey", "n_name"])


class OnRay(OnRows):
    """The queries on Ray Datasets."""

    def _read(self, directory: str, columns: list[str]) -> Any:
        import ray.data

        return ray.data.read_parquet(directory).select_columns(columns)

    def _each(self, rows: Any, function: Any) -> Any:
        return rows.map_batches(function, batch_format="pyarrow", batch_size=None)

    def _join(self, left: Any, right: Any, on: Any, right_on: Any) -> Any:
        import blobshuffle.ray

        return blobshuffle.ray.join(left, right, on, right_on=right_on, **self._options)

    def _sum(self, rows: Any, keys: list[str], column: str) -> Any:
        import blobshuffle.ray

        groups = blobshuffle.ray.groupby(rows, keys, **self._options)
        return groups.aggregate({column: (column, "sum")})

    def _sorted(self, rows: Any, by: list[Any], columns: list[str], limit: int = 1000) -> Any:
        import blobshuffle.ray

        ordered = blobshuffle.ray.sort(rows, by, store=self._options["store"])
        return pd.DataFrame(ordered.take(limit), columns=columns)


class OnArrow(OnRows):
    """The queries on Arrow rows, of which one process holds a part at a time."""

    def _read(self, directory: str, columns: list[str]) -> Any:
        return ds.dataset(directory).scanner(columns).to_reader()

    def _each(self, rows: Any, function: Any) -> Any:
        batches = (
            made for batch in rows for made in function(pa.Table.from_batches([batch])).to_batches()
        )
        schema = function(rows.schema.empty_table()).schema
        return pa.RecordBatchReader.from_batches(schema, batches)

    def _join(self, left: Any, right: Any, on: Any, right_on: Any) -> Any:
        return blobshuffle.join(left, right, on, right_on=right_on, **self._options)

    def _sum(self, rows: Any, keys: list[str], column: str) -> Any:
        return blobshuffle.aggregate(rows, keys, {column: (column, "sum")}, **self._options)

    def _sorted(self, rows: Any, by: list[Any], columns: list[str], limit: int = 1000) -> Any:
        found: list[Any] = []
        for batch in blobshuffle.sort(rows, by, store=self._options["store"]):
            found += batch.select(columns).slice(0, limit - len(found)).to_pylist()
            if len(found) == limit:
                break
        return pd.DataFrame(found, columns=columns)


def _revenue(table: Any) -> Any:
    return _compute.multiply(table["l_extendedprice"], _compute.subtract(1.0, table["l_discount"]))


def _profit(table: Any) -> Any:
    cost = _compute.multiply(table["ps_supplycost"], table["l_quantity"])
    return _compute.subtract(_revenue(table), cost)


@contextlib.contextmanager
def started(engine: str, store: str) -> Any:
    """Start an engine for a block, and yield a function that makes its queries."""
    if engine == "dask":
        import dask

        import blobshuffle.dask

        # With threads, Dask before Python 3.12 may stand still while it samples a sort.
        with dask.config.set(scheduler="sync"), blobshuffle.dask.enable(store):
            yield OnDask
        return
    if engine == "arrow":
        yield lambda directory, partitions: OnArrow(directory, partitions, store)
        return
    import ray
    import ray.data

    # Tasks call functions of this file.
    path = {"PYTHONPATH": os.path.dirname(os.path.abspath(__file__))}
    ray.init(log_to_driver=False, include_dashboard=False, runtime_env={"env_vars": path})
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    # Newer versions start 32 processes for the footers of each table.
    context.use_datasource_v2 = False  # pyright: ignore[reportAttributeAccessIssue]
    try:
        yield lambda directory, partitions: OnRay(directory, partitions, store)
    finally:
        ray.shutdown()


def run(engine: str, store: str, scale: float, partitions: int) -> None:
    """Make the tables, run the queries, check them and print."""
    with tempfile.TemporaryDirectory() as name, started(engine, store) as on_engine:
        directory = Path(name)
        make(directory, scale, partitions)
        queries = on_engine(directory, partitions)
        for query in SQL:
            began = time.monotonic()
            found = getattr(queries, query)()
            seconds = time.monotonic() - began
            verify(found, expected(directory, query))
            print(f"{query}: {len(found)} rows, {seconds:.1f} s, as DuckDB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store")
    parser.add_argument("--engine", choices=["dask", "ray", "arrow"], default="dask")
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--partitions", type=int, default=16)
    options = parser.parse_args()
    run(options.engine, options.store, options.scale, options.partitions)
