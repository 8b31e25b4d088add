"""The jobs that are measured: SQL as users write it, over rows that Spark computes itself.

Each takes a table of numbers, `id` from 0 on, whose partitions are the maps. It returns rows that
are counted and summed, so that a lost, doubled or changed row shows.
"""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as f

_SALES_PER_TICKET = 4
_ITEMS = 18_000
_STORES = 12
_WORDS = 12
_BEST = 10


def _long(seed: int) -> f.Column:
    return f.xxhash64(f.col("id"), f.lit(seed))


def _below(bound: int, seed: int) -> f.Column:
    return f.pmod(_long(seed), f.lit(bound))


def _sales(ids: DataFrame, rows: int) -> DataFrame:
    """Return rows like those of `store_sales` in TPC-DS: one for each item of a ticket."""
    return ids.select(
        f.floor(f.col("id") / _SALES_PER_TICKET).alias("ticket"),
        _below(_ITEMS, 1).alias("item"),
        _below(max(1, rows // 40), 2).alias("customer"),
        _below(_STORES, 3).alias("store"),
        _below(100, 4).alias("quantity"),
        (_below(20_000, 5) / 100).cast("decimal(7,2)").alias("price"),
    )


def repartition(ids: DataFrame, rows: int, partitions: int) -> DataFrame:
    """Send each row, of 104 bytes, to another partition, and nothing else."""
    words = [_long(number).alias(f"word{number}") for number in range(_WORDS)]
    return ids.select("id", *words).repartition(partitions, "id")


def sort(ids: DataFrame, rows: int, partitions: int) -> DataFrame:
    """Sort the same rows by a random key."""
    words = [_long(number).alias(f"word{number}") for number in range(_WORDS)]
    return ids.select("id", *words).orderBy("word0", "id")


def join(ids: DataFrame, rows: int, partitions: int) -> DataFrame:
    """Join sales with their returns, and add up by store and item (TPC-DS Q25, Q29)."""
    sales = _sales(ids, rows)
    returns = (
        sales.where(f.pmod(f.xxhash64("ticket", "item"), f.lit(4)) == 0)
        .groupBy("ticket", "item")
        .agg(f.sum("quantity").alias("returned"))
    )
    return (
        sales.join(returns, ["ticket", "item"])
        .groupBy("store", "item")
        .agg(f.sum("quantity").alias("sold"), f.sum("returned").alias("returned"))
    )


def rank(ids: DataFrame, rows: int, partitions: int) -> DataFrame:
    """Find the best customers of each item, by what they paid (TPC-DS Q67)."""
    paid = (
        _sales(ids, rows)
        .groupBy("customer", "item")
        .agg(f.sum(f.col("quantity") * f.col("price")).alias("paid"))
    )
    best = Window.partitionBy("item").orderBy(f.desc("paid"), "customer")
    return paid.withColumn("place", f.row_number().over(best)).where(f.col("place") <= _BEST)


WORKLOADS: dict[str, Callable[[DataFrame, int, int], DataFrame]] = {
    "repartition": repartition,
    "sort": sort,
    "join": join,
    "rank": rank,
}
