"""Dask's shuffle method `blobs`: what goes through it, how it is undone, and what it leaves."""

import datetime
import os
import pathlib
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from dask import bag, config
from dask.bag import core
from dask.dataframe.dask_expr import _merge, _quantiles, _shuffle
from distributed import Client, LocalCluster
from shuffles import stored

import blobshuffle.dask
from blobshuffle import (
    BlobMissing,
    Directories,
    LocalStore,
    SchemaMismatch,
    StoreUnavailable,
    dask_expressions,
    dask_tasks,
)

METHOD = "dataframe.shuffle.method"
DASKS = {"TaskShuffle", "DiskShuffle", "P2PShuffle", "HashJoinP2P", "SimpleShuffle"}


def orders(parts=5) -> Any:
    rows = np.arange(400)
    data = pd.DataFrame({"k": rows % 37, "total": rows * 1.5, "name": [f"n{i % 23}" for i in rows]})
    return dd.from_pandas(data, npartitions=parts)


def customers(parts=4) -> Any:
    rows = np.arange(60)
    return dd.from_pandas(pd.DataFrame({"k": rows, "city": rows % 5}), npartitions=parts)


def steps(frame) -> set[str]:
    """The names of the expressions that run."""
    return {type(each).__name__ for each in frame.optimize(fuse=False).expr.walk()}


def until(holds):
    """Wait for another process."""
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture
def session(tmp_path):
    with blobshuffle.dask.enable(tmp_path / "store") as session, config.set(scheduler="sync"):
        yield session
    assert stored(tmp_path / "store") == []


def blobs(tmp_path):
    return [path for path in stored(tmp_path / "store") if path.suffix == ".blob"]


OPERATIONS = {
    "merge": lambda: orders().merge(customers(), on="k"),
    "merge on index": lambda: orders().merge(customers().clear_divisions(), right_index=True,
                                             left_on="k"),
    "aggregation": lambda: orders().groupby("name").total.sum(split_out=3),
    "unsorted": lambda: orders().groupby("name", sort=False).total.sum(split_out=3),
    "apply": lambda: orders().groupby("name").apply(len, meta=("n", "int64")),
    "groups' nunique": lambda: orders().groupby("name").k.nunique(split_out=3),
    "sort": lambda: orders().sort_values("name"),
    "index": lambda: orders().set_index("name"),
    "duplicates": lambda: orders().drop_duplicates(subset=["name"], split_out=3),
    "unique": lambda: orders().name.unique(split_out=3),
    "counts": lambda: orders().name.value_counts(split_out=3),
    "shuffle": lambda: orders().shuffle("k", force=True),
    "shuffle on index": lambda: orders().shuffle(on_index=True, force=True),
}  # fmt: skip


@pytest.mark.usefixtures("session")
@pytest.mark.parametrize("name", OPERATIONS)
def test_what_dask_shuffles_goes_through_blobs(name):
    found = steps(OPERATIONS[name]())
    assert {"BlobShuffle", "BlobMerge"} & found
    assert not DASKS & found


@pytest.mark.usefixtures("session")
def test_a_side_that_is_shuffled_already_is_not_shuffled_again():
    merged = orders().merge(customers(), on="k")
    twice = merged.merge(customers(), on="k", npartitions=merged.npartitions)
    found = [type(each).__name__ for each in twice.optimize(fuse=False).expr.walk()]
    assert (found.count("BlobMerge"), found.count("BlobShuffle")) == (1, 1)


@pytest.mark.usefixtures("session")
@pytest.mark.parametrize("how", ["inner", "left", "outer"])
def test_several_columns_of_one_name_are_merged_once_each(how):
    """Dask's own methods return each as often as the name."""
    rows = pd.DataFrame(np.arange(80).reshape(20, 4), columns=list("kxyx"))
    left: Any = dd.from_map(lambda n: rows[7 * n : 7 * n + 7], range(4), meta=rows[:0])
    merged = left.merge(customers(), on="k", how=how)
    found = merged.compute()
    expected = rows.merge(customers().compute(), on="k", how=how)
    assert list(merged._meta.columns) == list(found.columns) == list(expected.columns)
    order = ["k", "city"]
    pd.testing.assert_frame_equal(
        *(each.sort_values(order, ignore_index=True) for each in (found, expected)),
        check_dtype=how == "inner",
    )


@pytest.mark.usefixtures("session")
def test_a_small_side_is_broadcast_as_by_dask():
    wide = orders(parts=20)
    merged = {
        name: steps(wide.merge(customers(parts=2), on="k", how="inner", shuffle_method=name))
        for name in ("blobs", "tasks")
    }
    assert "BroadcastJoin" in merged["tasks"]
    assert merged["blobs"] == merged["tasks"]
    forbidden = wide.merge(customers(parts=2), on="k", broadcast=False)
    assert "BroadcastJoin" not in steps(forbidden)


def changed():
    merge = _merge.Merge.__dict__
    meta = _shuffle.ShuffleBase.__dict__["_meta"]
    bags = vars(core)["get_default_shuffle_method"]
    sample = _quantiles.RepartitionQuantiles._layer
    return _shuffle.Shuffle._lower, merge["_lower"], merge["is_broadcast_join"], meta, bags, sample


def test_dask_is_as_before_when_the_session_ends(tmp_path):
    before = changed()
    with config.set({METHOD: "tasks"}):
        with blobshuffle.dask.enable(tmp_path) as session:
            assert config.get(METHOD) == "blobs"
            inner = blobshuffle.dask.enable(tmp_path)
            inner.close()
            inner.close()
            assert "BlobShuffle" in steps(orders().sort_values("name"))
            left = orders().shuffle("k", force=True)
        session.close()
        assert config.get(METHOD) == "tasks"
        assert "TaskShuffle" in steps(orders().sort_values("name"))
    assert before == changed()
    with pytest.raises(ValueError, match="blobs not supported"):
        left.compute(scheduler="sync")


@pytest.mark.usefixtures("session")
def test_a_single_operation_may_name_another_method():
    with config.set({METHOD: "disk"}):
        assert "DiskShuffle" in steps(orders().shuffle("k", force=True))
        assert "BlobShuffle" in steps(orders().shuffle("k", shuffle_method="blobs", force=True))
        with config.set({METHOD: "blobs"}):
            assert "BlobShuffle" in steps(orders().shuffle("k", force=True))
    assert "TaskShuffle" in steps(orders().shuffle("k", shuffle_method="tasks", force=True))


@pytest.mark.parametrize(
    ("owner", "name", "value"),
    [
        (_shuffle.Shuffle, "_parameters", ["frame"]),
        (_shuffle.SimpleShuffle, "_parameters", ["frame"]),
        (_shuffle.Shuffle, "_lower", lambda self: self),
        (_merge.Merge, "_lower", lambda self: self),
        (_merge.Merge, "is_broadcast_join", False),
        (_shuffle.ShuffleBase, "_meta", None),
        (_quantiles.RepartitionQuantiles, "_parameters", ["frame"]),
    ],
)
def test_a_dask_that_is_arranged_otherwise_is_refused(tmp_path, monkeypatch, owner, name, value):
    monkeypatch.setattr(owner, name, value)
    with pytest.raises(NotImplementedError, match=r"Dask .*extra 'dask'.*blobshuffle.dask.shuffle"):
        blobshuffle.dask.enable(tmp_path)
    assert stored(tmp_path) == []
    assert config.get(METHOD, None) is None


@pytest.mark.parametrize("step", ["shuffle", "merge"])
def test_ranges_behind_a_shuffle_are_the_same_each_time(tmp_path, step):
    """Dask seeds its sample with the names of all steps, which have the session's in them."""
    numbers = np.random.default_rng(1).integers(0, 40, 500)
    rows = pd.DataFrame({"k": numbers, "total": np.arange(500)})

    def counts(seed: int | None = None) -> list[int]:
        with blobshuffle.dask.enable(tmp_path), config.set(scheduler="sync"):
            frame: Any = dd.from_pandas(rows, npartitions=5)
            if step == "merge":
                before = frame.merge(customers(), on="k", how="left")
            else:
                before = frame.shuffle("total", force=True)
            if seed is not None:
                before = before[before.total != seed]
            return before.set_index("k").map_partitions(len).compute().tolist()

    assert counts() == counts()
    # Another program has another sample.
    assert len({tuple(counts(seed)) for seed in range(3)}) > 1


@pytest.mark.parametrize("before", [None, "tasks", "disk"])
def test_bags_are_grouped_as_before(tmp_path, before):
    def group() -> Any:
        return bag.from_sequence(range(9), npartitions=3).groupby(lambda each: each % 2)

    with config.set({METHOD: before, "scheduler": "sync"}):
        expected = [group().npartitions, dict(group())]
        names = set(group().dask.layers)
        with blobshuffle.dask.enable(tmp_path):
            assert [group().npartitions, dict(group())] == expected
            kinds = [{name.rpartition("-")[0] for name in each}
                     for each in (set(group().dask.layers), names)]  # fmt: skip
            assert kinds[0] == kinds[1]


@pytest.mark.usefixtures("session")
def test_metadata_leaves_out_an_index_that_is_not_kept():
    rows = pd.DataFrame({"k": [1, 2, 3, 1]}, index=pd.Index(list("abcd"), name="name"))
    frame: Any = dd.from_pandas(rows, npartitions=2)
    for found in (
        frame.shuffle("k", ignore_index=True, npartitions=2),
        frame.drop_duplicates(subset=["k"], ignore_index=True, split_out=2),
    ):
        assert list(found.reset_index().columns) == list(found.compute().reset_index().columns)


def of_arrow() -> Any:
    kind = pd.ArrowDtype(pa.date32())
    rows = pd.DataFrame({"k": pd.Series([datetime.date(2026, 1, 2)] * 2, dtype=kind), "n": [1, 2]})
    return dd.from_map(lambda number: rows[:number], range(3), meta=rows[:0])


@pytest.mark.usefixtures("session")
def test_partitions_without_rows_of_arrow_types_are_merged():
    left = of_arrow()
    right = left.map_partitions(lambda part: part.set_index("k").rename(columns={"n": "m"}))
    options: Any = {"how": "left", "left_on": "k", "right_index": True, "npartitions": 5}
    merged = left.merge(right, **options)
    native = left.merge(right, **options, shuffle_method="tasks")
    pd.testing.assert_frame_equal(merged.compute(), native.compute())


@pytest.mark.usefixtures("session")
def test_categories_of_a_side_without_rows_have_their_type():
    def side(name: str, rows: int) -> Any:
        days = pd.Series(pd.date_range("2026-01-02", periods=2), name="day")
        part = pd.DataFrame({"day": days.astype("category"), name: [1, 2]})
        unknown = pd.Categorical([], ["__UNKNOWN_CATEGORIES__"])
        return dd.from_map(lambda _: part[:rows], range(3), meta=part[:0].assign(day=unknown))

    merged = side("l", 2).merge(side("r", 0), on="day", how="left").compute()
    assert merged.day.cat.categories.dtype.kind == "M"


@pytest.mark.usefixtures("session")
def test_frames_without_rows_keep_the_categories_that_metadata_knows():
    known = pd.CategoricalDtype(["low", "high"], ordered=True)
    rows = pd.DataFrame({"k": [1, 2], "g": pd.Series(["low", "high"], dtype=known)})
    frame: Any = dd.from_pandas(rows, npartitions=2)
    found = frame[frame.k > 2].shuffle("k", npartitions=2).compute()
    assert found.g.dtype == known


@pytest.mark.usefixtures("session")
@pytest.mark.parametrize("kind", ["datetime64[{}]", "timedelta64[{}]", "datetime64[{}, UTC]"])
def test_times_of_two_units_are_refused(kind):
    def side(unit, on) -> Any:
        rows = pd.DataFrame({on: pd.Series(range(9)).astype(kind.format("s"))})
        rows = rows.astype(kind.format(unit))
        return dd.from_map(lambda n: rows[3 * n : 3 * n + 3], range(3), meta=rows[:0])

    for options in ({"on": "k"}, {"left_index": True, "right_index": True}, {"how": "left"}):
        sides = [side(unit, "k") for unit in ("s", "ns")]
        if "left_index" in options:
            sides = [each.map_partitions(lambda part: part.set_index("k")) for each in sides]
        with pytest.raises(TypeError, match=r"Cannot merge by 'k': .*\[s.* on the left.*astype"):
            sides[0].merge(sides[1], **options).compute()
    same = side("s", "k").merge(side("s", "k"), on="k").compute()
    assert len(same) == 9


@pytest.mark.usefixtures("session")
def test_times_of_two_units_of_arrow_are_refused():
    sides = []
    for unit in ("ms", "us"):
        kind = pd.ArrowDtype(pa.timestamp(unit))
        rows = pd.DataFrame({"k": pd.Series(range(4)).astype("datetime64[s]").astype(kind)})
        sides.append(dd.from_map(lambda n, rows=rows: rows, range(2), meta=rows[:0]))
    with pytest.raises(TypeError, match="Cannot merge by 'k'"):
        sides[0].merge(sides[1], on="k").compute()


@pytest.mark.parametrize("scheduler", ["sync", "threads"])
def test_blobs_are_deleted_when_their_rows_were_read(tmp_path, scheduler):
    store = tmp_path / "store"

    def count(part):
        return pd.DataFrame({"n": [len(blobs(tmp_path))]})

    with blobshuffle.dask.enable(store) as session:
        first = orders().shuffle("k", npartitions=7, force=True)
        second = first.shuffle("name", npartitions=2, force=True)
        counts = second.map_partitions(count, meta={"n": "int64"}, enforce_metadata=False)
        found = counts.compute(scheduler=scheduler, num_workers=1).n.tolist()
        assert [path.name for path in stored(store)] == [session.shuffle]
    # The first shuffle has 5 maps, the second 7; the blobs of the first were gone.
    assert max(found) <= 7
    assert stored(store) == []


@pytest.mark.parametrize("scheduler", ["sync", "threads"])
def test_a_program_that_fails_leaves_nothing(tmp_path, scheduler):
    def fail(part):
        raise ArithmeticError(f"{len(blobs(tmp_path))} blobs")

    with blobshuffle.dask.enable(tmp_path / "store") as session:
        failing = orders().merge(customers(), on="k").map_partitions(fail, meta={"n": "int64"})
        with pytest.raises(ArithmeticError, match=r"[1-9] blobs"):
            failing.compute(scheduler=scheduler, num_workers=1)
        assert [path.name for path in stored(tmp_path / "store")] == [session.shuffle]
    assert stored(tmp_path / "store") == []


def test_programs_between_processes(tmp_path):
    with blobshuffle.dask.enable([tmp_path / "one", tmp_path / "two"]) as session:
        merged = orders().merge(customers(), on="k")
        found = merged.compute(scheduler="processes", num_workers=2)
        expected = orders().merge(customers(), on="k", shuffle_method="tasks")
        pd.testing.assert_frame_equal(found, expected.compute(scheduler="sync"))
        assert [path.name for path in stored(tmp_path)] == [session.shuffle]
    assert stored(tmp_path) == []


class Full(LocalStore):
    """A disk that has room for so many blobs."""

    def __init__(self, directory, room):
        super().__init__(directory)
        self.room = room

    def create(self, path):
        if path.startswith("shuffles"):
            if not self.room:
                raise StoreUnavailable("Cannot write: No space left on device.")
            self.room -= 1
        return super().create(path)


def test_a_disk_that_is_full_at_the_second_shuffle_of_a_merge(tmp_path):
    with blobshuffle.dask.enable(Full(tmp_path, 7)) as session:
        with pytest.raises(StoreUnavailable, match="No space left"):
            orders().merge(customers(), on="k").compute(scheduler="sync")
        assert [path.name for path in stored(tmp_path)] == [session.shuffle]
    assert stored(tmp_path) == []


def test_a_directory_with_a_quota_refuses(tmp_path):
    session = blobshuffle.dask.enable(Directories([tmp_path], quota=5000))
    with session, pytest.raises(StoreUnavailable):
        orders().merge(customers(), on="k").compute(scheduler="sync")
    assert stored(tmp_path) == []


def test_a_map_that_commits_after_the_session_leaves_nothing(tmp_path):
    with blobshuffle.dask.enable(tmp_path):
        shuffled = orders().shuffle("k", force=True).optimize()
        (planned,) = shuffled.expr.find_operations(dask_expressions.BlobShuffle)
        tasks = planned._layer()
    plan = next(task() for task in tasks.values() if task.func is dask_tasks.begin)
    part = pd.DataFrame({"k": [1], "total": [1.0], "name": ["a"], "_partitions": [0]})
    with pytest.raises(BlobMissing, match="its session has ended"):
        dask_tasks.write(part, plan, 0)
    assert stored(tmp_path) == []


@pytest.mark.usefixtures("session")
def test_partitions_that_are_not_read_are_not_written(monkeypatch):
    rows = []

    def write(part, plan, number):
        written = dask_tasks.write(part, plan, number)
        rows.append(written.ref.rows)
        return written

    monkeypatch.setattr(dask_expressions, "write", write)
    shuffled = orders().shuffle("k", npartitions=7, force=True)
    parts = [shuffled.partitions[n].compute() for n in range(7)]
    assert sum(rows) == sum(map(len, parts)) == 400
    assert len(rows) == 7 * 5


@pytest.mark.usefixtures("session")
def test_rows_that_differ_from_the_metadata_keep_their_types():
    def mixed(n):
        return pd.DataFrame({"k": [1, 2, 3], "x": [1.5, None, 3.0] if n else [1, 2, 3],
                             "b": [True, None, False] if n else [True, False, True],
                             "n": [n, n, n]})  # fmt: skip

    meta = pd.DataFrame({"k": [0], "x": [0], "b": [True], "n": [0]})[:0]
    with config.set({"dataframe.convert-string": False}):
        found, expected = (
            dd.from_map(mixed, range(2), meta=meta, enforce_metadata=False)
            .shuffle("k", shuffle_method=method, force=True)
            .compute()
            for method in ("blobs", "tasks")
        )
    pd.testing.assert_frame_equal(found, expected)
    twice = (
        orders()
        .merge(customers().assign(k=customers().k * 2), on="k", how="left")
        .merge(customers(), on="k", how="outer", suffixes=("", "_again"))
    )
    assert twice.compute().city.isna().any()


@pytest.mark.usefixtures("session")
def test_objects_without_an_arrow_type_are_refused_with_their_column():
    part = pd.DataFrame({"k": [1, 2], "x": pd.Series([{"a": 1}, "b"], dtype=object)})
    with config.set({"dataframe.convert-string": False}):
        lazy = dd.from_map(lambda n: part, range(2), meta=part[:0])
        with pytest.raises(SchemaMismatch, match=r"column 'x' of partition .*astype"):
            lazy.shuffle("k", force=True).compute()
    part = pd.DataFrame({"k": [1, 2], "x": [1j, 2j]})
    lazy = dd.from_map(lambda n: part, range(2), meta=part[:0])
    with pytest.raises(TypeError, match=r"column 'x' of type complex128"):
        lazy.shuffle("k", force=True).compute()


COLLECTIONS = {
    "lists": lambda group: list(group.x),
    "tuples": lambda group: tuple(group.k),
    "sets": lambda group: set(group.text.dropna()),
    "arrays": lambda group: group.x.to_numpy(),
    "arrays of texts": lambda group: group.text.array,
    "arrays of objects": lambda group: group.text.to_numpy(object),
    "times": lambda group: list(group.t),
    "zoned times": lambda group: group.t.dt.tz_localize("UTC").array,
    "texts": lambda group: list(group.text),
    "numbers": lambda group: group.k.astype("Int64").mask(group.k > 2).array,
}


@pytest.mark.usefixtures("session")
@pytest.mark.parametrize("kind", COLLECTIONS)
def test_collections_of_a_group_come_back_as_they_were(kind):
    rows = pd.DataFrame({"k": [0, 1, 2, 3] * 6})
    rows["x"] = [None if n % 5 == 0 else n / 2 for n in range(24)]
    rows["text"] = pd.Series([None if n % 7 == 0 else f"n{n % 3}" for n in range(24)], dtype="str")
    rows["t"] = pd.date_range("2026-01-02", periods=24, freq="7919ns")

    def groups(part):
        return part.groupby("k")[["k", "x", "text", "t"]].apply(COLLECTIONS[kind]).reset_index(
            name="of"
        )  # fmt: skip

    meta = pd.DataFrame({"k": [0], "of": pd.Series([[]], dtype=object)})[:0]
    with config.set({"dataframe.convert-string": False}):
        frame: Any = dd.from_pandas(rows, npartitions=3).map_partitions(groups, meta=meta)
        found, expected = (
            frame.shuffle("k", npartitions=2, shuffle_method=method, force=True).compute()
            for method in ("blobs", "tasks")
        )
    pd.testing.assert_frame_equal(found, expected)
    assert [type(each) for each in found.of] == [type(each) for each in expected.of]
    assert any(map(len, found.of))


@pytest.mark.usefixtures("session")
def test_missing_items_of_several_kinds_are_none_in_all_partitions():
    lists = pd.Series([["a", None], ["b", float("nan")], ["c"]])
    rows = pd.DataFrame({"k": range(3), "of": lists})
    with config.set({"dataframe.convert-string": False}):
        frame = dd.from_map(lambda n: rows[n : n + 1], range(3), meta=rows[:0])
        found = frame.shuffle("k", npartitions=2, force=True).compute().sort_values("k")
        alone = frame.partitions[1:].shuffle("k", npartitions=2, force=True).compute()
    assert found.of.tolist() == [["a", None], ["b", None], ["c"]]
    assert np.isnan(next(each for each in alone.of if len(each) == 2)[1])


@pytest.mark.usefixtures("session")
def test_different_values_of_groups_are_those_of_dask():
    frame: Any = dd.from_pandas(
        pd.DataFrame({"k": [1, 2] * 6, "s": list("abcabcabcxyz"), "x": [1.5, None] * 6}), 3
    )
    for column in ("s", "x"):
        found, expected = (
            frame.groupby("k")[column].unique(split_out=2, shuffle_method=method).compute()
            for method in ("blobs", "tasks")
        )
        pd.testing.assert_series_equal(found, expected)


@pytest.mark.usefixtures("session")
@pytest.mark.parametrize(
    "odd", [[[1], (2,)], [{"a": 1}], [[[1]]], [[1, "a"]], [np.zeros((2, 2))], [[1], {2}]]
)
def test_collections_without_one_arrow_type_are_refused_with_their_column(tmp_path, odd):
    values = pd.Series(index=range(len(odd)), dtype=object)
    for number, each in enumerate(odd):
        values.iat[number] = each
    part = pd.DataFrame({"k": range(len(odd)), "x": values})
    with config.set({"dataframe.convert-string": False}):
        lazy = dd.from_map(lambda n: part[n : n + 1] if len(odd) > 1 else part, range(len(odd)),
                           meta=part[:0])  # fmt: skip
        with pytest.raises(SchemaMismatch, match=r"column 'x' of partition"):
            lazy.shuffle("k", force=True).compute()


END = """
import sys
sys.path.insert(0, sys.argv[2])
import dask
from test_dask_method import blobshuffle, customers, orders
blobshuffle.dask.enable(sys.argv[1])
merged = orders().merge(customers(), on="k").optimize()
print(len(dask.compute(*merged.to_delayed(), scheduler="sync")))
raise SystemExit("the end")
"""


def test_a_program_that_ends_leaves_nothing(tmp_path):
    arguments = [sys.executable, "-c", END, str(tmp_path), str(pathlib.Path(__file__).parent)]
    done = subprocess.run(arguments, capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr.strip()) == ("5", "the end")
    assert stored(tmp_path) == []


FORK = """
import os
import sys
sys.path.insert(0, sys.argv[2])
from test_dask_method import blobshuffle, stored
session = blobshuffle.dask.enable(sys.argv[1])
child = os.fork()
if child:
    os.waitpid(child, 0)
    print(session.shuffle in os.listdir(sys.argv[1] + "/leases"))
"""


def test_a_forked_child_that_ends_leaves_the_session_open(tmp_path):
    arguments = [sys.executable, "-c", FORK, str(tmp_path), str(pathlib.Path(__file__).parent)]
    done = subprocess.run(arguments, capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, "True"), done.stderr
    assert stored(tmp_path) == []


def test_a_session_may_end_while_a_thread_runs_something_else(tmp_path):
    begun, goes_on = tmp_path / "begun", tmp_path / "goes on"

    def wait(part):
        begun.write_text("")
        until(goes_on.exists)
        return part

    session = blobshuffle.dask.enable(tmp_path / "store")
    running = orders(parts=1).map_partitions(wait, meta=orders()._meta)
    with ThreadPoolExecutor(1) as pool:
        rows = pool.submit(running.compute, scheduler="threads")
        until(begun.exists)
        try:
            session.close()
        finally:
            goes_on.write_text("")
        assert len(rows.result()) == 400
    assert stored(tmp_path / "store") == []
    assert orders().sort_values("name").compute(scheduler="sync").name.is_monotonic_increasing


@pytest.fixture(scope="module")
def client():
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.mark.usefixtures("client")
def test_distributed_workers_leave_only_the_lease(tmp_path):
    with blobshuffle.dask.enable(tmp_path) as session:
        sorted_rows = orders().merge(customers(), on="k").sort_values(["name", "total"])
        found = sorted_rows.compute()
        until(lambda: [path.name for path in stored(tmp_path)] == [session.shuffle])
    expected = orders().merge(customers(), on="k", shuffle_method="tasks")
    expected = expected.sort_values(["name", "total"], shuffle_method="tasks").compute()
    pd.testing.assert_frame_equal(found, expected)
    assert stored(tmp_path) == []


@pytest.mark.parametrize("phase", ["before", "write", "read", "after"])
@pytest.mark.usefixtures("client")
def test_a_worker_that_is_killed_costs_no_row(tmp_path, phase):
    mark, test = tmp_path / "died", os.getpid()

    def die(when):
        if when == phase and os.getpid() != test and not mark.exists():
            mark.write_text("")
            os.kill(os.getpid(), signal.SIGKILL)

    class Dying(LocalStore):
        def create(self, path):
            die("write")
            return super().create(path)

        def open(self, path):
            if path.endswith(".blob"):
                die("read")
            return super().open(path)

    def step(part, when):
        die(when)
        return part

    def program(method, map_step):
        left = map_step(orders(), "before")
        merged = left.merge(customers(), on="k", shuffle_method=method)
        return map_step(merged, "after").groupby("name").total.sum().compute().sort_index()

    with blobshuffle.dask.enable(Dying(tmp_path / "store")):
        found = program("blobs", lambda frame, when: frame.map_partitions(step, when))
    assert mark.exists()
    pd.testing.assert_series_equal(found, program("tasks", lambda frame, when: frame))
    assert stored(tmp_path / "store") == []


def test_results_of_a_worker_that_was_lost_are_made_again(tmp_path, client):
    with blobshuffle.dask.enable(tmp_path / "store") as session:
        kept = orders().shuffle("k", npartitions=6, force=True).persist()
        kept.map_partitions(len).compute()
        until(lambda: [path.name for path in stored(tmp_path / "store")] == [session.shuffle])
        pid = next(iter(client.run(os.getpid).values()))
        os.kill(pid, signal.SIGKILL)
        found = kept.compute()
        del kept
    assert sorted(found.total) == sorted(orders().total.compute())
    assert stored(tmp_path / "store") == []


def test_a_cancelled_program_leaves_nothing(tmp_path, client):
    begun, goes_on = tmp_path / "begun", tmp_path / "goes on"
    begun.mkdir()

    def wait(part):
        (begun / str(os.getpid())).write_text("")
        while not goes_on.exists():
            time.sleep(0.01)
        return part

    with blobshuffle.dask.enable(tmp_path / "store") as session:
        merged = orders().merge(customers(), on="k", npartitions=20)
        waiting = merged.map_partitions(wait, meta=merged._meta)
        future = client.compute(waiting)
        # Both workers wait, so most partitions are not read.
        until(lambda: len(stored(begun)) == 2)
        try:
            assert len(blobs(tmp_path)) == 9
            client.cancel([future])
            until(lambda: [path.name for path in stored(tmp_path / "store")] == [session.shuffle])
        finally:
            goes_on.write_text("")
    assert stored(tmp_path / "store") == []


def test_a_scheduler_of_its_own_process(tmp_path):
    file = tmp_path / "scheduler.json"
    options = ["--scheduler-file", str(file), "--no-dashboard"]
    scheduler = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", *options]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", "--nthreads", "1", *options]
    began = []
    try:
        with (tmp_path / "log").open("wb") as log:
            began = [subprocess.Popen(each, stdout=log, stderr=log) for each in (scheduler, worker)]
        until(file.exists)
        with (
            Client(scheduler_file=str(file)),
            blobshuffle.dask.enable(tmp_path / "store") as session,
        ):
            found = orders().merge(customers(), on="k").compute()
            until(lambda: [path.name for path in stored(tmp_path / "store")] == [session.shuffle])
        assert len(found) == 400
        assert stored(tmp_path / "store") == []
    finally:
        for process in reversed(began):
            process.terminate()
            process.wait()
