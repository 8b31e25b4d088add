"""Ray tasks: the same promises on a local Ray of two CPUs."""

import gc
import logging
import os
import pathlib
import signal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import ray
import ray.data
import ray.exceptions
from ray.data.aggregate import Count, Mean, Min, Sum
from shuffles import stored, table
from test_processes import expected

import blobshuffle.ray as shuffles
from blobshuffle import IncompleteShuffle, LocalStore, SchemaMismatch, ray_datasets


@pytest.fixture(scope="module", autouse=True)
def cluster():
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        object_store_memory=128 << 20,
        log_to_driver=False,
        runtime_env={"env_vars": {"PYTHONPATH": str(pathlib.Path(__file__).parent)}},
    )
    logging.getLogger("ray.data").setLevel(logging.WARNING)
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.default_hash_shuffle_parallelism = 2
    yield
    ray.shutdown()


def summary(reader, number):
    data = reader.read_all()
    return number, data.num_rows, sorted(data["id"].to_pylist())


def test_results_come_in_the_order_of_partitions(tmp_path):
    inputs = [table(2000, 0), ray.put(table(2000, 1)), lambda: iter(table(2000, 2).to_batches())]
    results = shuffles.shuffle(
        inputs, "id", 11, summary, store=tmp_path, partitions_per_task=3, codec="adaptive"
    )
    assert list(results) == expected(range(3), 11)
    assert stored(tmp_path) == []


def test_a_dataset_is_its_blocks(tmp_path):
    class Dataset:
        def to_arrow_refs(self):
            return [ray.put(table(2000, seed)) for seed in range(2)]

    results = shuffles.shuffle(Dataset(), ["id"], 3, store=tmp_path)
    assert pa.concat_tables(results).num_rows == 4000
    assert stored(tmp_path) == []


def test_a_worker_killed_after_its_maps_costs_no_row(tmp_path):
    store, mark = tmp_path / "store", tmp_path / "mark"

    def die_once(reader, number):
        if number == 3 and not mark.exists():
            mark.write_text("")
            os.kill(os.getpid(), signal.SIGKILL)
        return summary(reader, number)

    inputs = [table(2000, seed) for seed in range(4)]
    results = shuffles.shuffle(inputs, "id", 6, die_once, store=store, partitions_per_task=2)
    assert list(results) == expected(range(4), 6)
    assert mark.exists()
    assert stored(store) == []


def test_a_failing_reduce_or_map_releases_everything(tmp_path):
    def fail(*_):
        raise RuntimeError("broken")

    for inputs, reduce in (([table(100)] * 3, fail), ([*[table(100)] * 3, fail], summary)):
        with pytest.raises(RuntimeError, match="broken"):
            list(shuffles.shuffle(inputs, "id", 2, reduce, store=tmp_path))
        assert stored(tmp_path) == []


def test_a_caller_that_stops_early_releases_everything(tmp_path):
    results = shuffles.shuffle([table(100)], "id", 8, summary, store=tmp_path)
    assert next(results)[0] == 0
    results.close()
    assert stored(tmp_path) == []


def test_blocks_that_differ_by_nullness_width_or_emptiness_are_one(tmp_path):
    blocks = [
        pa.table({}),
        pa.table({"k": pa.array([1], pa.int8()), "x": pa.nulls(1)}),
        pa.table({"k": [1.0], "x": pa.array(["b"]).dictionary_encode()}),
        pa.table({"k": [1.0], "x": pa.array(["c"]).dictionary_encode()}),
    ]
    tables = list(shuffles.shuffle([ray.put(block) for block in blocks], "k", 2, store=tmp_path))
    rows = pa.concat_tables(tables)
    assert rows["k"].to_pylist() == [1.0, 1.0, 1.0]
    assert rows["x"].to_pylist() == [None, "b", "c"]


def test_blocks_without_a_common_schema_are_refused_before_they_are_written(tmp_path):
    blocks = [pa.table({"k": [1], "x": [1]}), pa.table({"k": [1], "x": ["a"]})]
    results = shuffles.shuffle([ray.put(block) for block in blocks], "k", 2, store=tmp_path)
    with pytest.raises(SchemaMismatch, match=r"column 'x' is int64"):
        next(results)
    assert stored(tmp_path) == []


def drawn(seed, rows=3000):
    """Rows with nulls, ties and strings, in blocks of different sizes."""
    random = np.random.default_rng(seed)
    data = pa.table(
        {
            "k": pa.array(random.integers(0, 40, rows), mask=random.random(rows) < 0.05),
            "s": [f"name {n}" for n in random.integers(0, 9, rows)],
            "v": random.integers(-1000, 1000, rows),
            "row": range(rows),
        }
    )
    return data, ray.data.from_arrow([data.slice(0, 700), data.slice(700, 1), data.slice(701)])


def rows_of(dataset):
    return sorted(map(repr, dataset.take_all()))


def images(batch):
    """Images of one size in the first block, and of several in the others."""
    numbers = batch["id"]
    found = np.empty(len(numbers), object)
    for at, number in enumerate(numbers):
        found[at] = np.full((2 if number < 4 else number % 3 + 1, 2), number, np.uint8)
    return {"row": numbers, "x": np.stack(list(found)) if numbers[0] < 4 else found}


def test_blocks_of_images_of_one_size_and_of_several_are_one(tmp_path):
    dataset = ray.data.range(12, override_num_blocks=3).map_batches(images)
    rows = shuffles.sort(dataset, "row", store=tmp_path).take_all()
    expected = [images({"id": np.array([n])})["x"][0] for n in range(12)]
    assert [row["x"].tolist() for row in rows] == [each.tolist() for each in expected]
    assert {row["x"].dtype for row in rows} == {np.dtype(np.uint8)}


def test_a_repartitioned_dataset_has_its_keys_together(tmp_path):
    data, dataset = drawn(1)
    made = shuffles.repartition(dataset, 5, ["k", "s"], store=tmp_path).materialize()
    assert made.num_blocks() == 5
    assert rows_of(made) == sorted(map(repr, data.to_pylist()))
    blocks: list[Any] = [ray.get(block) for block in made.to_arrow_refs()]
    keys = [{(row["k"], row["s"]) for row in block.to_pylist()} for block in blocks]
    assert sum(map(len, keys)) == len(set().union(*keys))
    even = shuffles.repartition(dataset, 4, store=tmp_path).materialize()
    dealt: list[Any] = [ray.get(block) for block in even.to_arrow_refs()]
    counts = [block.num_rows for block in dealt]
    assert (len(counts), sum(counts)) == (4, 3000)
    assert max(counts) - min(counts) <= 3


@pytest.fixture
def natively(request):
    """Whether Ray's own operations run beside ours: they take minutes, so only with --examples."""
    return bool(request.config.getoption("--examples"))


@pytest.mark.parametrize("seed", [2])
def test_a_sort_is_that_of_whole_tables(tmp_path, seed, natively):
    data, dataset = drawn(seed)
    by = ["s", "v", "row"]
    ours = shuffles.sort(dataset, by, store=tmp_path).take_all()
    assert ours == data.sort_by([(key, "ascending") for key in by]).to_pylist(), f"seed {seed}"
    if natively:
        assert ours == dataset.sort(by).take_all(), f"seed {seed}"
    nulls = shuffles.sort(dataset, [("k", "descending"), "row"], store=tmp_path).take_all()
    expected = data.sort_by([("k", "descending"), ("row", "ascending")]).to_pylist()
    assert nulls == expected, f"seed {seed}"


def test_rows_of_more_than_memory_are_sorted_by_several_tasks(tmp_path):
    def block(batch):
        numbers = np.random.default_rng(int(batch["id"][0])).integers(0, 1 << 60, 1 << 16)
        return {"k": numbers, "v": numbers}

    dataset = ray.data.range(12, override_num_blocks=12).map_batches(block, batch_size=1)
    made = shuffles.sort(dataset, "k", store=tmp_path, memory=8 << 20)
    last, rows, blocks = -1, 0, 0
    for batch in made.iter_batches(batch_size=None, batch_format="numpy"):
        assert batch["k"][0] >= last
        assert (np.diff(batch["k"]) >= 0).all()
        last, rows, blocks = batch["k"][-1], rows + len(batch["k"]), blocks + 1
    assert rows == 12 << 16
    assert blocks > 4


def test_an_aggregation_is_that_of_whole_tables(tmp_path, natively):
    data, dataset = drawn(4)
    wanted = {"total": ("v", "sum"), "mean": ("v", "mean"), "n": ("v", "size"), "low": ("v", "min")}
    ours = shuffles.groupby(dataset, "s", store=tmp_path, partitions=3).aggregate(wanted)
    found = {row.pop("s"): row for row in ours.take_all()}
    by_name = data.to_pandas().groupby("s")["v"].agg(total="sum", mean="mean", n="size", low="min")
    assert found == {
        name: pytest.approx(row) for name, row in by_name.to_dict(orient="index").items()
    }
    if natively:
        native = dataset.groupby("s").aggregate(
            Sum("v", alias_name="total"),
            Mean("v", alias_name="mean"),
            Count(alias_name="n"),
            Min("v", alias_name="low"),  # pyright: ignore[reportArgumentType]
        )
        assert found == {row.pop("s"): pytest.approx(row) for row in native.take_all()}


def test_functions_that_need_all_rows_of_a_key_are_those_of_whole_tables(tmp_path):
    data, dataset = drawn(12)
    wanted: Any = {
        "median": ("v", "median"),
        "p90": ("v", "quantile", 0.9),
        "spread": ("v", "std"),
        "kinds": ("k", "count_distinct"),
        "rows": ("row", "list"),
    }
    ours = shuffles.groupby(dataset, "s", store=tmp_path, partitions=3).aggregate(wanted)
    found = {row.pop("s"): row for row in ours.take_all()}
    by_name = data.to_pandas().groupby("s")
    assert found == {
        name: {
            "median": pytest.approx(rows.v.median()),
            "p90": pytest.approx(rows.v.quantile(0.9)),
            "spread": pytest.approx(rows.v.std()),
            "kinds": rows.k.nunique(),
            "rows": rows.row.tolist(),
        }
        for name, rows in by_name
    }


def test_groups_are_mapped_one_by_one(tmp_path, natively):
    data, dataset = drawn(5)

    def spread(group):
        return {"k": group["k"][:1], "spread": [int(group["v"].max() - group["v"].min())]}

    known = ray.data.from_arrow(data.filter(data["k"].is_valid()))
    groups = shuffles.groupby(known, "k", store=tmp_path, partitions=3)
    found = {
        row["k"]: row["spread"]
        for row in groups.map_groups(spread, batch_format="pandas").take_all()
    }
    values = data.filter(data["k"].is_valid()).to_pandas().groupby("k")["v"]
    assert found == (values.max() - values.min()).to_dict()
    if natively:
        native = known.groupby("k").map_groups(spread, batch_format="pandas")
        assert found == {row["k"]: row["spread"] for row in native.take_all()}
    counts = shuffles.groupby(dataset, ["k", "s"], store=tmp_path, partitions=2).map_groups(
        lambda group: group.slice(0, 1).append_column("n", [[group.num_rows]])
    )
    pairs = data.group_by(["k", "s"]).aggregate([([], "count_all")])
    assert sorted(row["n"] for row in counts.take_all()) == sorted(pairs["count_all"].to_pylist())

    def halves(group):
        yield group.slice(0, group.num_rows // 2)
        yield group.slice(group.num_rows // 2)

    same = shuffles.groupby(dataset, "k", store=tmp_path, partitions=2).map_groups(halves)
    assert rows_of(same) == sorted(map(repr, data.to_pylist()))


@pytest.mark.parametrize("how", ["inner", "full"])
def test_a_join_is_that_of_whole_tables(tmp_path, how, natively):
    one, left = drawn(6, 800)
    other = drawn(7, 750)[0].rename_columns(["k", "s2", "v2", "row2"])
    wide = other.set_column(0, "k", other["k"].cast(pa.int32()))
    right = ray.data.from_arrow([wide.slice(0, 300), wide.slice(300)])
    pairs = shuffles.join(left, right, "k", how=how, store=tmp_path, partitions=3).take_all()
    kind = {"full": "full outer"}.get(how, how)
    expected = one.join(other, "k", join_type=kind).to_pylist()
    found = [{name: row[name] for name in expected[0]} for row in pairs]
    assert sorted(map(repr, found)) == sorted(map(repr, expected))
    if natively and how == "inner":
        same = ray.data.from_arrow([other.slice(0, 300), other.slice(300)])
        native = left.join(same, "inner", 2, on=("k",)).take_all()
        assert sorted((row["row"], row["row2"]) for row in native) == sorted(
            (row["row"], row["row2"]) for row in pairs
        )


def test_a_hot_partition_is_joined_by_several_tasks(tmp_path):
    blocks = [pa.table({"k": [1] * 150_000, "row": range(150_000)}) for _ in range(4)]
    left, right = ray.data.from_arrow(blocks), ray.data.from_arrow(pa.table({"k": [1, 2]}))
    made = shuffles.join(left, right, "k", store=tmp_path, partitions=2, memory=4 << 20)
    done = made.materialize()
    assert done.num_blocks() >= 4
    assert done.count() == 600_000
    whole = shuffles.join(
        left, right, "k", how="right", store=tmp_path, partitions=2, memory=4 << 20
    )
    assert whole.count() == 600_001


def test_an_empty_side_has_its_schema(tmp_path):
    data, dataset = drawn(8, 100)
    nothing = ray.data.from_arrow(data.slice(0, 0))
    assert shuffles.join(nothing, dataset, "k", store=tmp_path, partitions=2).count() == 0
    left = shuffles.join(dataset, nothing, "k", how="left", store=tmp_path, partitions=2)
    assert left.count() == 100
    assert shuffles.sort(nothing, "k", store=tmp_path).count() == 0


def test_columns_without_values_have_the_types_of_blocks_without_rows(tmp_path):
    known = pa.schema([("k", pa.int64()), ("v", pa.int32()), ("l", pa.list_(pa.string()))])
    some = pa.table({"k": [1], "v": pa.nulls(1), "l": [[]]})
    # The wider type of a block without rows does not count.
    wide = pa.table({"k": pa.array([], pa.float64())})
    rows = ray.data.from_arrow([wide, known.empty_table(), some])
    for made in (
        shuffles.repartition(rows, 2, "k", store=tmp_path),
        shuffles.sort(rows, ["v", "k"], store=tmp_path),
        shuffles.join(rows, rows.select_columns(["k"]), "k", store=tmp_path, partitions=2),
    ):
        found: list[Any] = [ray.get(block) for block in made.to_arrow_refs()]
        assert {str(each.schema) for each in found} == {str(known)}
        assert sum(each.num_rows for each in found) == 1


def test_a_side_without_rows_and_schema_is_empty(tmp_path):
    _, dataset = drawn(8, 100)
    nothing = ray.data.range(4).map_batches(lambda batch: batch).filter(lambda row: False)
    groups = shuffles.groupby(nothing, "k", store=tmp_path, partitions=2)
    for made in (
        shuffles.sort(nothing, "k", store=tmp_path),
        shuffles.repartition(nothing, 2, "k", store=tmp_path),
        groups.aggregate({"n": ("v", "sum")}),
        groups.map_groups(lambda group: group),
        shuffles.join(nothing, dataset, "k", how="left", store=tmp_path, partitions=2),
        shuffles.join(dataset, nothing, "k", store=tmp_path, partitions=2),
    ):
        assert made.take_all() == []
    with pytest.raises(ValueError, match="the right dataset has no rows, and its schema is unkn"):
        shuffles.join(dataset, nothing, "k", how="left", store=tmp_path, partitions=2)
    assert stored(tmp_path) == []


def test_blobs_live_as_long_as_the_datasets_that_need_them(tmp_path):
    _, dataset = drawn(9)
    made = shuffles.repartition(dataset, 2, "k", store=tmp_path)
    derived = made.filter(lambda row: row["v"] > 0)
    del made
    gc.collect()
    assert stored(tmp_path)
    assert derived.count()
    del derived
    gc.collect()
    assert stored(tmp_path) == []


def test_a_map_of_a_dataset_that_fails_leaves_nothing(tmp_path):
    def fail(batch):
        raise RuntimeError("broken")

    dataset = ray.data.range(10).map_batches(fail)
    with pytest.raises(Exception, match="broken"):
        shuffles.sort(dataset, "id", store=tmp_path)
    assert stored(tmp_path) == []
    with pytest.raises(KeyError, match="'x'"):
        shuffles.groupby(ray.data.range(10), "x", store=tmp_path, partitions=2).aggregate({})
    assert stored(tmp_path) == []


def test_a_map_whose_result_is_lost_is_noticed(tmp_path, monkeypatch):
    real = ray_datasets._BlobsDatasink.on_write_complete

    def lose_one(sink, write_result):
        real(sink, write_result)
        sink.maps = sink.maps[:-1]

    monkeypatch.setattr(ray_datasets._BlobsDatasink, "on_write_complete", lose_one)
    with pytest.raises(IncompleteShuffle, match="had 3000 rows, and the blobs of its"):
        shuffles.repartition(drawn(10)[1], 2, "k", store=tmp_path)
    assert stored(tmp_path) == []


def test_maps_whose_keys_have_several_types_are_sorted(tmp_path):
    blocks = [
        pa.table({"k": [4, 1], "row": [0, 1]}),
        pa.table({"k": pa.nulls(1), "row": [2]}),
        pa.table({"k": [2.5, 1.0], "row": [3, 4]}),
    ]
    made = shuffles.sort(ray.data.from_arrow(blocks), ["k", "row"], store=tmp_path)
    found = [(row["k"], row["row"]) for row in made.take_all()]
    assert found == [(1.0, 1), (1.0, 4), (2.5, 3), (4.0, 0), (None, 2)]


READS: dict[str, Any] = {
    "repartition": lambda rows, store: shuffles.repartition(rows, 2, "k", store=store),
    "sort": lambda rows, store: shuffles.sort(rows, ["k", "row"], store=store),
    "join": lambda rows, store: shuffles.join(rows, rows, "row", store=store, partitions=2),
    "aggregate": lambda rows, store: shuffles.groupby(
        rows, "k", store=store, partitions=2
    ).aggregate({"n": ("v", "sum"), "rows": ("row", "list")}),
}


def test_keys_that_cannot_be_grouped_by_are_refused_before_a_task_runs(tmp_path):
    rows = ray.data.from_items([{"k": 1, "v": 2}])
    for keys, aggregates, reason in [
        ([], {"x": ("v", "sum")}, "no key"),
        (["k", "k"], {"x": ("v", "sum")}, "named twice"),
        ("k", {"k": ("v", "sum")}, "named twice"),
    ]:
        with pytest.raises(ValueError, match=reason) as refused:
            shuffles.groupby(rows, keys, store=tmp_path, partitions=2).aggregate(aggregates)
        assert not isinstance(refused.value, ray.exceptions.RayError)


@pytest.mark.parametrize("operation", READS)
def test_a_reader_that_is_killed_in_the_middle_costs_no_row(tmp_path, operation):
    test, ready, mark = os.getpid(), tmp_path / "ready", tmp_path / "died"

    class Dying(LocalStore):
        """Ends a reader's process once, when it has read a blob and opens another."""

        opened = 0

        def open(self, path):
            if path.endswith(".blob") and os.getpid() != test and ready.exists():
                type(self).opened += 1
                if type(self).opened > 1 and not mark.exists():
                    mark.write_text("")
                    os.kill(os.getpid(), signal.SIGKILL)
            return super().open(path)

    _, dataset = drawn(13)
    expected = rows_of(READS[operation](dataset, tmp_path / "whole"))
    made = READS[operation](dataset, Dying(tmp_path / "store"))
    ready.write_text("")
    assert rows_of(made) == expected
    assert mark.exists()
    del made
    gc.collect()
    assert stored(tmp_path / "store") == []


def test_groups_of_a_worker_that_is_killed_after_some_are_mapped_once(tmp_path):
    data, dataset = drawn(14)
    mark = tmp_path / "died"

    def count(group):
        if group["s"][0].as_py() == "name 5" and not mark.exists():
            mark.write_text("")
            os.kill(os.getpid(), signal.SIGKILL)
        return group.slice(0, 1).select(["s"]).append_column("n", [[group.num_rows]])

    groups = shuffles.groupby(dataset, "s", store=tmp_path / "store", partitions=1)
    found = groups.map_groups(count).take_all()
    expected = data.group_by("s").aggregate([([], "count_all")]).sort_by("s")
    assert [(row["s"], row["n"]) for row in found] == list(
        zip(expected["s"].to_pylist(), expected["count_all"].to_pylist(), strict=True)
    )
    assert mark.exists()


def blocks(*parts) -> Any:
    return ray.data.from_arrow([pa.table(part) for part in parts])


def test_columns_that_a_block_lacks_are_null(tmp_path, natively):
    rows = blocks({"k": [1, 2], "v": [1, 2]}, {"x": ["a", "b"], "v": [0.5, 4.0], "k": [1, 4]})
    expected = [
        {"k": 1, "v": 0.5, "x": "a"},
        {"k": 1, "v": 1.0, "x": None},
        {"k": 2, "v": 2.0, "x": None},
        {"k": 4, "v": 4.0, "x": "b"},
    ]
    assert shuffles.sort(rows, ["k", "v"], store=tmp_path).take_all() == expected
    groups = shuffles.groupby(rows, "k", store=tmp_path, partitions=2)
    found = groups.aggregate({"v": ("v", "sum"), "n": ("x", "count"), "x": ("x", "max")})
    assert sorted(found.take_all(), key=str) == [
        {"k": 1, "v": 1.5, "n": 1, "x": "a"},
        {"k": 2, "v": 2.0, "n": 0, "x": None},
        {"k": 4, "v": 4.0, "n": 1, "x": "b"},
    ]
    if natively:
        assert rows.sort(["k", "v"]).take_all() == expected
        for made in (
            rows.repartition(2, keys=["k"]),
            shuffles.repartition(rows, 2, "k", store=tmp_path),
        ):
            assert sorted(made.take_all(), key=str) == expected


def widening(batch):
    """Blocks of one task: nulls, integers, a wider number, a further column, and narrow again."""
    for number in range(int(batch["id"][0]), int(batch["id"][0]) + 6):
        block = {"row": [number], "k": [number % 2], "v": pa.nulls(1)}
        if number % 6:
            block["v"] = [0.5] if number % 6 == 3 else [number]
        if number % 6 == 4:
            block["x"] = [f"x{number}"]
        yield pa.table(block)


@pytest.fixture
def small_blocks(monkeypatch):
    """A task of Ray joins its rows to larger blocks otherwise."""
    monkeypatch.setattr(ray.data.DataContext.get_current(), "target_max_block_size", 1)


@pytest.mark.usefixtures("small_blocks")
def test_blocks_of_one_task_that_differ_are_one(tmp_path):
    starts = ray.data.from_arrow([pa.table({"id": [0]}), pa.table({"id": [6]})])
    rows = starts.map_batches(widening)
    expected = [
        {
            "row": n,
            "k": n % 2,
            "v": None if n % 6 == 0 else 0.5 if n % 6 == 3 else float(n),
            "x": f"x{n}" if n % 6 == 4 else None,
        }
        for n in range(12)
    ]
    assert shuffles.sort(rows, "row", store=tmp_path).take_all() == expected
    spread = shuffles.repartition(rows, 3, "k", store=tmp_path)
    assert sorted(spread.take_all(), key=lambda row: row["row"]) == expected
    groups = shuffles.groupby(rows, "k", store=tmp_path, partitions=2)
    found = groups.aggregate(
        {"v": ("v", "sum"), "x": ("x", "max"), "n": ("row", "size"), "all": ("row", "list")}
    )
    assert sorted(found.take_all(), key=lambda row: row["k"]) == [
        {"k": 0, "v": 24.0, "x": "x4", "n": 6, "all": [0, 2, 4, 6, 8, 10]},
        {"k": 1, "v": 25.0, "x": None, "n": 6, "all": [1, 3, 5, 7, 9, 11]},
    ]


@pytest.mark.usefixtures("small_blocks")
def test_blocks_of_one_task_without_a_common_schema_are_refused(tmp_path):
    def change(batch):
        yield pa.table({"k": [1], "x": ["a"]})
        yield pa.table({"k": [1], "x": [1]})

    rows = ray.data.from_arrow(pa.table({"id": [0]})).map_batches(change)
    with pytest.raises(
        SchemaMismatch, match="block of map 0: column 'x' is string in one and int64"
    ):
        shuffles.repartition(rows, 2, "k", store=tmp_path)
    assert stored(tmp_path) == []


def test_columns_that_no_block_has_and_keys_that_one_lacks_are_refused(tmp_path):
    rows = blocks({"k": [1], "v": [1]}, {"v": [2], "x": ["a"]})
    for made in (
        lambda: shuffles.repartition(rows, 2, "k", store=tmp_path),
        lambda: shuffles.sort(rows, "k", store=tmp_path),
        lambda: shuffles.groupby(rows, "v", store=tmp_path, partitions=2).aggregate(
            {"y": ("y", "max")}
        ),
    ):
        with pytest.raises(KeyError, match=r"'[ky]'"):
            made()
    assert stored(tmp_path) == []
