"""Dask data frames: the same rows, equal keys together, nothing left."""

import datetime
import decimal
import os
import signal

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from dask import config
from dask.base import compute
from distributed import Client, LocalCluster
from shuffles import stored

from blobshuffle import SchemaMismatch, new_shuffle, releasing
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


def parts_of(*parts, meta=None):
    """A Dask frame of these partitions."""
    return dd.from_map(
        lambda n: parts[n], range(len(parts)), meta=parts[0][:0] if meta is None else meta
    )


def whole(tmp_path, lazy, on="k", npartitions=3):
    with releasing(tmp_path, new_shuffle()) as name:
        return shuffle(lazy, on, npartitions, store=tmp_path, shuffle=name).compute()


def test_categories_that_metadata_does_not_know_keep_their_values(tmp_path):
    data = pd.DataFrame({"k": [1, 2, 1, 2], "g": ["x", "y", "z", None]})
    lazy = dd.from_pandas(data, npartitions=2)
    lazy["g"] = lazy.g.astype("category")
    rows = whole(tmp_path, lazy)
    assert rows.sort_index().g.tolist()[:3] == ["x", "y", "z"]
    assert rows.g.isna().sum() == 1
    assert isinstance(rows.g.dtype, pd.CategoricalDtype)
    assert whole(tmp_path, lazy, on="g").sort_index().g.tolist()[:3] == ["x", "y", "z"]


@pytest.mark.parametrize("kind", ["int64", "float64", "datetime64[us]", "str", "string[pyarrow]"])
def test_categories_of_each_type_that_differ_by_partition(tmp_path, kind):
    parts = [
        pd.DataFrame(
            {"k": [1, 2], "g": pd.Categorical(pd.Series([n + 1, n + 2]).astype(kind))},
            index=[10 * n, 10 * n + 1],
        )
        for n in range(3)
    ]
    meta = parts[0][:0].assign(g=pd.Categorical([], ["__UNKNOWN_CATEGORIES__"]))
    rows = whole(tmp_path, parts_of(*parts, meta=meta)).sort_index()
    expected = [value for part in parts for value in part.g.tolist()]
    assert rows.g.tolist() == expected
    assert rows.g.cat.categories.dtype == parts[0].g.cat.categories.dtype


def test_known_categories_stay_whole_and_in_their_order(tmp_path):
    known = pd.CategoricalDtype(["low", "middle", "high", "never"], ordered=True)
    data = pd.DataFrame({"k": range(6), "g": pd.Series(["high", "low"] * 3, dtype=known)})
    rows = whole(tmp_path, dd.from_pandas(data, npartitions=3))
    assert rows.g.dtype == known
    pd.testing.assert_frame_equal(rows.sort_index(), data)


def test_values_besides_the_known_categories_are_kept(tmp_path):
    one, other = (
        pd.DataFrame({"k": [1, 2], "g": pd.Categorical(values)}, index=index)
        for values, index in ((["a", "b"], [0, 1]), (["c", "a"], [2, 3]))
    )
    assert whole(tmp_path, parts_of(one, other)).sort_index().g.tolist() == ["a", "b", "c", "a"]


def test_categories_of_intervals_come_back(tmp_path):
    data = pd.DataFrame({"k": range(8), "g": pd.cut(pd.Series(range(8)), 4)})
    rows = whole(tmp_path, dd.from_pandas(data, npartitions=2)).sort_index()
    pd.testing.assert_frame_equal(rows, data)


def test_ordered_categories_that_differ_are_refused(tmp_path):
    parts = [
        pd.DataFrame({"k": [1], "g": pd.Categorical(["a"], values, ordered=True)})
        for values in (["a", "b"], ["b", "a"])
    ]
    unknown = pd.Categorical([], ["__UNKNOWN_CATEGORIES__"], ordered=True)
    lazy = parts_of(*parts, meta=parts[0][:0].assign(g=unknown))
    with pytest.raises(SchemaMismatch, match=r"column 'g' of partition 1.*ordered categories"):
        whole(tmp_path, lazy)


def test_a_dictionary_of_parquet_keeps_its_values(tmp_path):
    for number in range(3):
        values = pa.array([f"{number}-{letter}" for letter in "abcde"]).dictionary_encode()
        pq.write_table(pa.table({"k": range(5), "c": values}), tmp_path / f"{number}.parquet")
    lazy = dd.read_parquet(str(tmp_path / "*.parquet"))
    rows = whole(tmp_path / "store", lazy)
    assert sorted(rows.c.tolist()) == [f"{n}-{letter}" for n in range(3) for letter in "abcde"]


OBJECTS = {
    "texts": ["a", None],
    "bytes": [b"a", None],
    "integers": [1 << 60, None],
    "floats": [1.5, None],
    "decimals": [decimal.Decimal("1.50"), None],
    "dates": [datetime.date(2026, 1, 2), None],
    "times": [datetime.time(1, 2, 3), None],
    "lists": [[1, 2], None],
    "missing": [None, None],
    "timestamps": [pd.Timestamp(1), pd.NaT],
    "zoned timestamps": [pd.Timestamp(1, tz="Europe/Berlin"), None],
    "spans": [pd.Timedelta(1), None],
    "zoned times": [datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc), None],
    "an end": [datetime.datetime(9999, 12, 31), None],
}

_UTC = datetime.timezone.utc
_EAST = datetime.timezone(datetime.timedelta(hours=2))


@pytest.mark.parametrize("name", OBJECTS)
def test_objects_of_one_type_come_back(tmp_path, name):
    other = [None, None]
    parts = [
        pd.DataFrame({"k": [1, 2], "x": pd.Series(values, dtype=object)}, index=index)
        for values, index in ((OBJECTS[name], [0, 1]), (other, [2, 3]))
    ]
    with config.set({"dataframe.convert-string": False}):
        rows = whole(tmp_path, parts_of(*parts)).sort_index()
    assert rows.x.dtype == object
    expected = [OBJECTS[name][0], None, *other]
    assert rows.x.tolist() == expected
    assert [type(each) for each in rows.x] == [type(each) for each in expected]


@pytest.mark.parametrize(
    "values",
    [
        [np.int64(1), 1 << 40],
        [np.bool_(True), False],
        [np.float32(0.1), 0.1],
        [pd.Timestamp("9999-12-31"), datetime.datetime(1, 1, 1)],
    ],
)
def test_objects_of_kindred_types_come_back_equal(tmp_path, values):
    part = pd.DataFrame({"k": range(len(values)), "x": pd.Series(values, dtype=object)})
    with config.set({"dataframe.convert-string": False}):
        rows = whole(tmp_path, parts_of(part)).sort_index()
    assert rows.x.tolist() == values


@pytest.mark.parametrize(
    "values", [[{1}, {2, 3}], [(1, 2), ()], [[pd.Timestamp(1)]], [frozenset("a")]]
)
def test_collections_come_back_as_they_were(tmp_path, values):
    part = pd.DataFrame({"k": range(len(values)), "x": pd.Series(values, dtype=object)})
    with config.set({"dataframe.convert-string": False}):
        rows = whole(tmp_path, parts_of(part)).sort_index()
    assert rows.x.tolist() == values
    assert [type(each) for each in rows.x] == [type(each) for each in values]


@pytest.mark.parametrize(
    "values",
    [
        ["a", 1],
        [{"a": 1}],
        [{1}, (1,)],
        [np.zeros((2, 2))],
        [[[1]]],
        [datetime.datetime(2026, 1, 2), datetime.datetime(2026, 1, 2, tzinfo=_UTC)],
        [datetime.datetime(2026, 1, 2, tzinfo=_EAST), datetime.datetime(2026, 1, 2, tzinfo=_UTC)],
        [datetime.time(1), datetime.time(1, tzinfo=_UTC)],
        [[pd.Timestamp(1), datetime.datetime(2026, 1, 2)]],
        [pd.Timestamp(1), datetime.datetime(2026, 1, 2)],
        ["\ud800"],
    ],
)
def test_objects_that_would_change_are_refused_with_their_column(tmp_path, values):
    part = pd.DataFrame({"k": range(len(values)), "x": pd.Series(values, dtype=object)})
    with (
        config.set({"dataframe.convert-string": False}),
        pytest.raises(SchemaMismatch, match=r"column 'x' of partition 0.*astype"),
    ):
        whole(tmp_path, parts_of(part))
    assert stored(tmp_path) == []


@pytest.mark.parametrize(
    ("meta", "values"),
    [
        ("int64", [1.5, 2.0]),
        ("int64", [1.0, None]),
        ("int32", [1 << 40]),
        ("float64", ["a"]),
        ("bool", [None, True]),
        ("datetime64[s]", pd.to_datetime(["2026-01-01 00:00:00.5"]).as_unit("ns")),
    ],
)
def test_values_that_metadata_does_not_allow_are_refused(tmp_path, meta, values):
    part = pd.DataFrame({"k": range(len(values)), "x": values})
    lazy = parts_of(part, meta=part[:0].assign(x=pd.Series([], dtype=meta)))
    with pytest.raises(SchemaMismatch, match=r"column 'x' of partition 0.*metadata"):
        whole(tmp_path, lazy)
    assert stored(tmp_path) == []


def test_widths_that_differ_from_the_metadata_are_cast(tmp_path):
    part = pd.DataFrame({"k": np.arange(3, dtype=np.int8), "x": [1.0, 2.0, 3.0]})
    meta = part[:0].assign(k=pd.Series([], dtype="int64"), x=pd.Series([], dtype="int16"))
    rows = whole(tmp_path, parts_of(part, meta=meta)).sort_index()
    assert rows.dtypes.tolist() == meta.dtypes.tolist()
    assert rows.x.tolist() == [1, 2, 3]


def test_columns_without_an_arrow_type_are_refused_at_once(tmp_path):
    data = pd.DataFrame({"k": [1], "x": [1j]})
    with pytest.raises(TypeError, match=r"column 'x' of type complex128"):
        whole(tmp_path, dd.from_pandas(data, npartitions=1))
    intervals = pd.DataFrame({"x": pd.arrays.IntervalArray.from_breaks([0, 1, 2])})
    with pytest.raises(TypeError, match=r"Cannot partition by 'x'"):
        whole(tmp_path, dd.from_pandas(intervals, npartitions=1), on="x")
