"""Ray tasks: the same promises on a local Ray of two CPUs."""

import os
import pathlib
import signal

import pyarrow as pa
import pytest
import ray
from shuffles import stored, table
from test_processes import expected

import blobshuffle.ray as shuffles
from blobshuffle import SchemaMismatch


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
