"""Dask data frames: the same rows, equal keys together, nothing left."""

import os
import signal

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask.base import compute
from distributed import Client, LocalCluster
from shuffles import stored

from blobshuffle import new_shuffle, releasing
from blobshuffle.dask import shuffle

ROWS = 5000


def frame(**columns):
    random = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "key": random.integers(0, 100, ROWS),
            "name": [None if i % 9 == 0 else f"name {i % 50}" for i in range(ROWS)],
            "value": random.random(ROWS),
            "day": pd.date_range("2026-01-01", periods=ROWS, freq="min", tz="Europe/Berlin"),
            "flag": pd.Categorical.from_codes(random.integers(0, 3, ROWS), ["A", "N", "R"]),
            **columns,
        },
        index=pd.Index(np.arange(ROWS) * 2, name="id"),
    )


def shuffled(tmp_path, data, on, npartitions=7, inputs=5, scheduler="threads"):
    """The output partitions."""
    with releasing(tmp_path, new_shuffle()) as name:
        lazy = shuffle(
            dd.from_pandas(data, npartitions=inputs), on, npartitions, store=tmp_path, shuffle=name
        )
        assert lazy.npartitions == npartitions
        parts = compute(*lazy.to_delayed(), scheduler=scheduler)
        assert len(stored(tmp_path)) == inputs
        for part in parts:
            pd.testing.assert_series_equal(part.dtypes, lazy._meta.dtypes)
    assert stored(tmp_path) == []
    return list(parts)


@pytest.mark.parametrize("on", ["key", "name", ["key", "name"], "flag", "day"])
def test_rows_are_the_same_and_equal_keys_together(tmp_path, on):
    data = frame()
    parts = shuffled(tmp_path, data, on)
    expected = dd.from_pandas(data, npartitions=1).compute()
    pd.testing.assert_frame_equal(
        pd.concat(parts).sort_index(), expected.sort_index(), check_categorical=False
    )
    keys = [on] if isinstance(on, str) else on
    found = [set(map(str, part[keys].drop_duplicates().to_numpy().tolist())) for part in parts]
    assert len(set().union(*found)) == sum(len(keys) for keys in found)


def test_rows_keep_their_order(tmp_path):
    for part in shuffled(tmp_path, frame(), "key"):
        assert part.index.is_monotonic_increasing


def test_partitions_without_rows_and_values(tmp_path):
    data = frame(key=1, value=[None] * ROWS)
    parts = shuffled(tmp_path, data, "key")
    assert sorted(len(part) for part in parts) == [0] * 6 + [ROWS]


def test_it_works_between_processes(tmp_path):
    parts = shuffled(tmp_path, frame(), "key", scheduler="processes")
    assert sum(len(part) for part in parts) == ROWS


def test_groups_can_be_computed_partition_by_partition(tmp_path):
    data = frame()
    with releasing(tmp_path, new_shuffle()) as name:
        whole = dd.from_pandas(data, npartitions=4)
        lazy = shuffle(whole, "key", 3, store=tmp_path, shuffle=name)
        medians = lazy.map_partitions(lambda part: part.groupby("key")["value"].median()).compute()
    assert medians.to_dict() == data.groupby("key")["value"].median().to_dict()


def test_a_worker_killed_after_its_maps_costs_no_row(tmp_path):
    data = frame()
    died = tmp_path / "died"
    store = tmp_path / "store"

    def die_once(part):
        if not died.exists():
            died.write_text("")
            os.kill(os.getpid(), signal.SIGKILL)
        return part

    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        Client(cluster),
        releasing(store, new_shuffle()) as name,
    ):
        whole = dd.from_pandas(data, npartitions=6)
        lazy = shuffle(whole, "key", 5, store=store, shuffle=name)
        rows = lazy.map_partitions(die_once, meta=lazy._meta).compute()
        assert len(stored(store)) >= 6
    assert died.exists()
    assert rows.sort_index()["value"].tolist() == data["value"].tolist()
    assert stored(store) == []


def test_unknown_columns_are_refused(tmp_path):
    whole = dd.from_pandas(frame(), npartitions=1)
    for on in ("absent", []):
        with pytest.raises(KeyError, match="Cannot shuffle on"):
            shuffle(whole, on, 2, store=tmp_path, shuffle="s")
