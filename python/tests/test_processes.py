"""Plain processes: results in order, even if workers die or tasks fail."""

import os
import pathlib
import signal
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from shuffles import stored, table

from blobshuffle import SchemaMismatch, WorkerLost, partition_ids
from blobshuffle.processes import shuffle


def rows_of(seed):
    return table(2000, seed)


def batches_of(seed):
    return iter(table(2000, seed).to_batches(max_chunksize=300))


def summary(reader, number):
    data = reader.read_all()
    return number, data.num_rows, sorted(data["id"].to_pylist())


def expected(seeds, partitions):
    data = pa.concat_tables([table(2000, seed) for seed in seeds])
    ids = partition_ids(data, ["id"], partitions).to_numpy()
    found = [data.take(np.flatnonzero(ids == number)) for number in range(partitions)]
    return [(n, part.num_rows, sorted(part["id"].to_pylist())) for n, part in enumerate(found)]


def test_results_come_in_the_order_of_partitions(tmp_path):
    inputs = [table(2000, 0), partial(rows_of, 1), partial(batches_of, 2)]
    results = shuffle(inputs, "id", 11, summary, store=tmp_path, workers=2)
    assert list(results) == expected(range(3), 11)
    assert stored(tmp_path) == []


def test_without_reduce_tables_are_returned(tmp_path):
    results = list(shuffle([table(100)], ["id"], 3, store=tmp_path, workers=1))
    assert sum(part.num_rows for part in results) == 100
    assert results[0].schema.equals(table(100).schema)


def die_once(mark, reader, number):
    path = pathlib.Path(mark)
    if number == 3 and not path.exists():
        path.write_text("")
        os.kill(os.getpid(), signal.SIGKILL)
    return summary(reader, number)


def test_a_worker_killed_after_its_maps_costs_no_row(tmp_path):
    store = tmp_path / "store"
    inputs = [partial(rows_of, seed) for seed in range(4)]
    reduce = partial(die_once, str(tmp_path / "mark"))
    results = shuffle(inputs, "id", 6, reduce, store=store, workers=2, partitions_per_task=2)
    assert list(results) == expected(range(4), 6)
    assert (tmp_path / "mark").exists()
    assert stored(store) == []


def yield_then_die(mark, seed):
    yield table(2000, seed)
    path = pathlib.Path(mark)
    if not path.exists():
        path.write_text("")
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_map_that_is_run_again_counts_once(tmp_path):
    store = tmp_path / "store"
    inputs = [partial(rows_of, 0), partial(yield_then_die, str(tmp_path / "mark"), 1)]
    assert list(shuffle(inputs, "id", 3, summary, store=store, workers=2)) == expected(range(2), 3)
    assert stored(store) == []


def die(reader, number):
    os.kill(os.getpid(), signal.SIGKILL)


def fail(reader, number):
    raise RuntimeError(f"reduce {number}")


@pytest.mark.parametrize(("reduce", "failure"), [(fail, RuntimeError), (die, WorkerLost)])
def test_a_failing_reduce_releases_everything(tmp_path, reduce, failure):
    inputs = [partial(rows_of, seed) for seed in range(2)]
    with pytest.raises(failure, match=r"reduce 0|partitions 0"):
        list(shuffle(inputs, "id", 2, reduce, store=tmp_path, workers=1))
    assert stored(tmp_path) == []


def refuse():
    raise RuntimeError("no input")


def test_a_failing_map_releases_everything(tmp_path):
    inputs = [*(partial(rows_of, seed) for seed in range(3)), refuse]
    with pytest.raises(RuntimeError, match="no input"):
        list(shuffle(inputs, "id", 2, summary, store=tmp_path, workers=2))
    assert stored(tmp_path) == []


def test_a_caller_that_stops_early_releases_everything(tmp_path):
    results = shuffle([table(100)], "id", 8, summary, store=tmp_path, workers=1)
    assert next(results)[0] == 0
    results.close()
    assert stored(tmp_path) == []


def test_illegal_arguments_are_refused(tmp_path):
    cases: list[tuple[Any, Any, int]] = [([], "id", 2), ([table(1)], [], 2), ([table(1)], "id", 0)]
    for arguments in cases:
        with pytest.raises(ValueError, match="at least one"):
            shuffle(*arguments, store=tmp_path)
    illegal: list[dict[str, Any]] = [{"workers": -1}, {"partitions_per_task": 0}]
    for options in illegal:
        with pytest.raises(ValueError, match="at least 1"):
            shuffle([table(1)], "id", 2, store=tmp_path, **options)


def kill_once(mark, seed):
    path = pathlib.Path(f"{mark}-{seed}")
    if not path.exists():
        path.write_text("")
        os.kill(os.getpid(), signal.SIGKILL)
    return table(2000, seed)


def test_a_lost_worker_counts_only_for_the_map_that_it_ran(tmp_path):
    store = tmp_path / "store"
    inputs = [partial(kill_once, str(tmp_path / "mark"), seed) for seed in range(6)]
    results = shuffle(inputs, "id", 3, summary, store=store, workers=2)
    assert list(results) == expected(range(6), 3)
    assert stored(store) == []


def test_a_map_that_kills_every_worker_is_named(tmp_path):
    inputs = [partial(rows_of, 0), partial(die, None, 1), partial(rows_of, 2)]
    with pytest.raises(WorkerLost, match="map 1:"):
        list(shuffle(inputs, "id", 2, summary, store=tmp_path, workers=1))
    assert stored(tmp_path) == []


def nothing():
    return iter(())


def test_inputs_that_differ_by_nullness_width_or_emptiness_are_one(tmp_path):
    inputs = [
        pa.table({}),
        pa.table({"k": pa.nulls(0), "x": pa.nulls(0)}),
        pa.table({"k": pa.array([1, 2], pa.int8()), "x": pa.nulls(2)}),
        nothing,
        pa.table({"k": [1.0, 2.0], "x": ["a", "b"]}),
        partial(pa.table, {"x": pa.array(["c"]).dictionary_encode(), "k": pa.array([1])}),
    ]
    tables = list(shuffle(inputs, "k", 5, store=tmp_path, workers=1))
    assert {part.schema for part in tables} == {
        pa.schema([("k", pa.float64()), ("x", pa.string())])
    }
    rows = [sorted(zip(*part.to_pydict().values(), strict=True), key=str) for part in tables]
    places = {row[0]: number for number, part in enumerate(rows) for row in part}
    assert all(places[row[0]] == number for number, part in enumerate(rows) for row in part)
    assert sorted((row for part in rows for row in part), key=str) == [
        (1.0, "a"),
        (1.0, "c"),
        (1.0, None),
        (2.0, "b"),
        (2.0, None),
    ]


@pytest.mark.parametrize("wrap", [pa.table, lambda data: partial(pa.table, data)])
def test_inputs_without_a_common_schema_are_refused_by_column(tmp_path, wrap):
    inputs = [wrap({"k": [1], "x": [1]}), wrap({"k": [1], "x": ["a"]})]
    with pytest.raises(SchemaMismatch, match=r"input 0 with input 1: column 'x' is int64.*Cast"):
        list(shuffle(inputs, "k", 2, store=tmp_path, workers=1))
    assert stored(tmp_path) == []


@pytest.mark.parametrize("values", [(["a"], [1]), (["1"], [1]), ([1], ["1"]), ([1], [True])])
def test_later_rows_of_an_input_do_not_change_their_kind(tmp_path, values):
    batches = [pa.record_batch({"k": [1], "x": column}) for column in values]
    with pytest.raises(SchemaMismatch, match=r"earlier rows with input 0: column 'x'.*Cast"):
        list(shuffle([partial(iter, batches)], "k", 2, store=tmp_path, workers=1))
    assert stored(tmp_path) == []


def test_values_that_do_not_fit_the_common_schema_are_refused_by_column(tmp_path):
    inputs = [pa.table({"k": [1], "x": [(1 << 60) + 1]}), pa.table({"k": [1], "x": [0.5]})]
    with pytest.raises(SchemaMismatch, match="column 'x' of input 0 from int64 to double"):
        list(shuffle(inputs, "k", 2, store=tmp_path, workers=1))


def test_dictionaries_of_all_maps_become_one(tmp_path):
    inputs = [pa.table({"k": [1, 1], "x": pa.array(v).dictionary_encode()}) for v in ("ab", "ca")]
    (part,) = shuffle(inputs, "k", 1, store=tmp_path, workers=1)
    assert part["x"].to_pylist() == ["a", "b", "c", "a"]
    counts = part.group_by("x").aggregate([("k", "sum")]).to_pydict()
    assert dict(zip(counts["x"], counts["k_sum"], strict=True)) == {"a": 2, "b": 1, "c": 1}
