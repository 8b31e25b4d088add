"""Dask programs as notebooks have them: through blobs, each has the results of Dask's own method.

The trips are like those of New York's taxis. Their files differ: the first has no fee and one flag
only, the second has shorter integers, and the last has no rows.
"""

import functools
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask import config
from dask.base import compute
from shuffles import stored
from test_dask_programs import same

import blobshuffle.dask

ZONES = pd.DataFrame(
    {
        "zone": np.arange(1, 40),
        "borough": pd.Categorical.from_codes(np.arange(39) % 4, ["Bronx", "EWR", "Queens", "Rest"]),
        "name": [f"zone {number}" for number in range(39)],
    }
)
MONTHS = 5


@functools.cache
def month(number: int) -> pd.DataFrame:
    """The trips of a month."""
    random = np.random.default_rng(number)
    rows = 0 if number == MONTHS - 1 else 120
    seconds = pd.to_timedelta(random.integers(0, 27 * 86400, rows), unit="s").as_unit("us")
    pickup = pd.Timestamp(2024, 1 + number, 1).as_unit("us") + seconds
    minutes = pd.to_timedelta(random.integers(60, 3600, rows), unit="s").as_unit("us")
    trips = pd.DataFrame(
        {
            "vendor": random.integers(1, 3, rows).astype("int32" if number == 1 else "int64"),
            "pickup": pickup,
            "dropoff": pickup + minutes,
            "passengers": np.where(random.random(rows) < 0.1, np.nan, random.integers(0, 6, rows)),
            "flag": pd.Categorical(random.choice(["Y", "N"][: 1 + (number > 0)], rows)),
            "start": random.integers(1, 45, rows),
            "end": random.integers(1, 45, rows),
            "payment": random.integers(0, 5, rows),
            "fare": random.gamma(3, 5, rows).round(2),
            "tip": random.gamma(1, 2, rows).round(2),
            "fee": np.full(rows, None) if number == 0 else random.choice([0.0, 1.75], rows),
        }
    )
    return trips


def trips(*columns: str) -> Any:
    """The trips; the metadata is that of the first month."""
    return dd.from_map(lambda number: month(number)[list(columns)].copy(), range(MONTHS))


def zones(parts: int = 3) -> Any:
    return dd.from_pandas(ZONES, npartitions=parts)


def by_hour() -> Any:
    frame = trips("start", "pickup", "fare", "tip")
    frame["hour"] = frame.pickup.dt.hour
    joined = frame.merge(zones(1), left_on="start", right_on="zone")
    groups = joined.groupby(["borough", "hour"], observed=True)
    return groups.agg({"fare": ["sum", "mean"], "tip": "max"}, split_out=3)


def both_ends() -> Any:
    frame = trips("start", "end", "fare", "flag").merge(
        zones(), left_on="start", right_on="zone", how="left", broadcast=False
    )
    return frame.merge(
        zones(), left_on="end", right_on="zone", how="left", suffixes=("", "_end"), broadcast=False
    )


def three_joins() -> Any:
    kinds = pd.DataFrame({"payment": [0, 1, 2, 7], "kind": ["flex", "card", "cash", "never"]})
    frame = trips("start", "end", "payment").merge(
        zones(), left_on="start", right_on="zone", broadcast=False
    )
    frame = frame.merge(dd.from_pandas(kinds, npartitions=2), on="payment", how="outer")
    borough = zones(4)[["zone", "borough"]]
    return frame.merge(borough, left_on="end", right_on="zone", how="right", suffixes=("", "_end"))


def means_so_far() -> Any:
    def of_zone(rows: pd.DataFrame) -> pd.DataFrame:
        ordered = rows.sort_values("pickup")
        return ordered.assign(mean=ordered.fare.rolling(3).mean(), before=ordered.fare.shift())

    return trips("start", "pickup", "fare").groupby("start").apply(of_zone, include_groups=False)


def self_join() -> Any:
    frame = trips("start", "end", "fare")
    dear = frame[frame.fare > 20]
    return dear.merge(dear, left_on="start", right_on="end")


def pivot() -> Any:
    frame = trips("start", "payment", "fare")
    frame["payment"] = frame.payment.astype("category").cat.set_categories(range(5))
    frame = frame.shuffle("start")
    return frame.pivot_table(index="start", columns="payment", values="fare", aggfunc="mean")


def as_of() -> Any:
    starts = trips("pickup", "payment", "fare").set_index("pickup")
    ends = trips("dropoff", "payment", "tip").set_index("dropoff")
    return dd.merge_asof(starts, ends, left_index=True, right_index=True, by="payment")


def interleaved() -> Any:
    early = trips("start", "fare").set_index("start")
    late = trips("end", "tip").set_index("end")
    return dd.concat([early, late.rename_axis("start")], interleave_partitions=True)


def durations() -> Any:
    frame = trips("pickup", "dropoff", "fare")
    frame["minutes"] = (frame.dropoff - frame.pickup).dt.floor("10min")
    return frame.groupby("minutes").fare.agg(["sum", "count"], split_out=2)


def months() -> Any:
    frame = trips("pickup", "fare")
    frame["month"] = frame.pickup.dt.to_period("M")
    return frame.groupby("month").fare.sum(split_out=2)


def bands() -> Any:
    frame = trips("start", "fare")
    frame["band"] = frame.fare.map_partitions(pd.cut, [0, 5, 10, 1000])
    return frame.groupby("band", observed=True).fare.mean(split_out=2)


def units() -> Any:
    """Times of three units beside each other, and durations."""
    frame = trips("start", "pickup")
    for unit in ("s", "ms", "ns"):
        frame[unit] = frame.pickup.astype(f"datetime64[{unit}]")
    frame["since"] = frame.ns - frame.pickup
    return frame.shuffle("start")


def arrow() -> Any:
    """Frames with Arrow's types, which meet those of NumPy and of pandas."""
    frame = trips("start", "passengers", "fare", "pickup").map_partitions(
        lambda part: part.convert_dtypes(dtype_backend="pyarrow")
    )
    return frame.merge(zones(), left_on="start", right_on="zone", how="outer", broadcast=False)


def two_indexes() -> Any:
    fares = trips("start", "payment", "fare").groupby(["start", "payment"])
    tips = trips("start", "payment", "tip").groupby(["start", "payment"])
    left = fares.fare.agg(["sum", "max"], split_out=3).reset_index()
    right = tips.tip.agg(["mean"], split_out=2).reset_index()
    return left.merge(right, on=["start", "payment"], how="left")


NOTEBOOK = {
    "boroughs by hour": by_hour,
    "both ends": both_ends,
    "three joins": three_joins,
    "all columns of values": lambda: trips(*month(0).columns.drop("fee")).shuffle("start"),
    "groups with a column of nulls": lambda: trips("payment", "fee").groupby("payment").apply(
        len, meta=("n", "int64")
    ),
    "means so far": means_so_far,
    "shifts": lambda: trips("start", "fare", "pickup").groupby("start").shift(2),
    "filled": lambda: trips("start", "passengers").groupby("start").passengers.ffill(),
    "dearest": lambda: trips("start", "fare").groupby("start").apply(
        lambda rows: rows.nlargest(2, "fare"), include_groups=False
    ),
    "pivot": pivot,
    "dummies": lambda: dd.get_dummies(trips("start", "flag").shuffle("start").categorize()),
    "overlaps": lambda: trips("pickup", "fare").set_index("pickup").fare.map_overlap(
        lambda part: part.rolling(4).mean(), 3, 0
    ),
    "rolling": lambda: trips("pickup", "fare").set_index("pickup").fare.rolling("2h").sum(),
    "weeks": lambda: trips("pickup", "fare", "tip").set_index("pickup").resample("W").agg(
        {"fare": "sum", "tip": "max"}
    ),
    "as of": as_of,
    "divisions": lambda: trips("start", "fare").set_index("start").repartition(
        divisions=[1, 20, 44], force=True
    ),
    "sizes": lambda: trips("start", "fare").shuffle("start").repartition(partition_size="2kB"),
    "sizes of a merge": lambda: self_join().repartition(partition_size="2kB"),
    "index of one side": lambda: trips("start", "fare").join(
        zones().set_index("zone").clear_divisions(), on="start"
    ),
    "self-join": self_join,
    "semi": lambda: trips("start", "fare").merge(
        zones()[["zone"]].rename(columns={"zone": "start"}), on="start", how="leftsemi"
    ),
    "interleaved": interleaved,
    "durations": durations,
    "months": months,
    "bands": bands,
    "units": units,
    "arrow": arrow,
    "two indexes": two_indexes,
    "passengers": lambda: trips("passengers", "fare").groupby("passengers", dropna=False).fare.agg(
        ["size", "sum"], split_out=3
    ),
    "split at random": lambda: trips("start", "fare").shuffle("start").random_split(
        [0.5, 0.5], random_state=3
    )[1],
    "some partitions": lambda: trips("start", "fare").shuffle("start").partitions[[3, 1]],
}  # fmt: skip


def outcome(program: Any, method: str) -> tuple[Any, list[int], Any]:
    """The metadata of the result, the rows of each partition, and the result."""
    with config.set({"dataframe.shuffle.method": method, "scheduler": "sync"}):
        made = program()
        parts = compute(*made.to_delayed())
        return made._meta, [len(part) for part in parts], made.compute()


@pytest.mark.filterwarnings("ignore:.*")
@pytest.mark.parametrize("name", NOTEBOOK)
def test_a_notebook_has_the_results_of_dask(tmp_path, name):
    expected = outcome(NOTEBOOK[name], "tasks")
    assert len(expected[-1])
    with blobshuffle.dask.enable(tmp_path):
        found = outcome(NOTEBOOK[name], "blobs")
    assert stored(tmp_path) == []
    assert found[1] == expected[1]
    same(found[0], expected[0])
    same(found[2], expected[2])
