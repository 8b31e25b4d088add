"""Drawn tables and frames return as from the engine's own shuffle.

Each is equal in values and types, or refused before a byte is written with column and remedy. The
differences are in `differences.py`, with their reasons. `--examples 20000` draws so many for each
test.
"""

import itertools
import pathlib
from typing import Any

import dask.dataframe as dd
import pandas as pd
import pyarrow as pa
import pytest
from dask import config
from dask.base import compute
from differences import chapter
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shuffles import stored
from tables import columns, frames, keys_of_two_sides

import blobshuffle.dask
from blobshuffle import (
    LocalStore,
    SchemaMismatch,
    ShuffleWriter,
    new_shuffle,
    ray_datasets,
    read,
    releasing,
)
from blobshuffle.ordered_aggregates import aggregation, aggregation_plan
from blobshuffle.schemas import cast
from blobshuffle.tasks import plan, reduce_range, schema_of, whole, with_schema, write_map

drawn = settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], print_blob=True
)


@drawn
@given(st.data(), st.integers(1, 3), st.sampled_from(["none", "lz4"]))
def test_a_table_that_is_read_is_the_one_that_was_written(tmp_path_factory, data, parts, codec):
    store = tmp_path_factory.mktemp("store")
    rows = data.draw(st.integers(0, 8))
    column = data.draw(columns(rows))
    table = pa.table({"x": column, "row": pa.array(range(rows), pa.int64())})
    ids = data.draw(st.lists(st.integers(0, parts - 1), min_size=rows, max_size=rows))
    try:
        with ShuffleWriter(
            store, shuffle="s", map=0, maps=1, partitions=parts, codec=codec
        ) as writer:
            for at in range(0, max(rows, 1), 3):
                writer.write(table.slice(at, 3), ids[at : at + 3])
            ref = writer.commit()
    except TypeError as refusal:
        assert "Cannot shuffle column 'x'" in str(refusal)
        assert "Cast" in str(refusal)
        assert stored(store) == []
        return
    for partition in range(parts):
        found = read([ref], partition).read_all()
        found.validate(full=True)
        assert found.schema.equals(table.schema)
        wanted = [row for row, each in enumerate(ids) if each == partition]
        assert found["row"].to_pylist() == wanted
        values = column.to_pylist()
        assert repr(found["x"].to_pylist()) == repr([values[row] for row in wanted])


def lazy(parts, meta) -> Any:
    return dd.from_map(lambda number: parts[number], range(len(parts)), meta=meta)


def metadata(parts):
    """No rows of all partitions; categories that differ are unknown, as Dask has them."""
    meta = parts[0][:0].copy()
    for name in meta.columns:
        if name.endswith(("category", "integers")) and not name.endswith("known category"):
            meta[name] = pd.Categorical([], ["__UNKNOWN_CATEGORIES__"])
    return meta


@drawn
@given(frames(), st.integers(1, 4), st.booleans())
def test_a_frame_is_what_dasks_own_shuffle_returns(tmp_path_factory, drawn_frame, parts, converts):
    store = tmp_path_factory.mktemp("store")
    pieces, kinds = drawn_frame
    with (
        config.set({"dataframe.convert-string": converts, "scheduler": "sync"}),
        releasing(store, new_shuffle()) as name,
    ):
        source = lazy(pieces, metadata(pieces))
        native = source.shuffle("k", npartitions=parts, shuffle_method="tasks")
        try:
            expected = native.compute().sort_index()
        except (TypeError, UnicodeDecodeError):
            # Categories of two types met, as where all values are missing; or Dask made strings
            # of bytes that are no text.
            expected = None
        try:
            ours = blobshuffle.dask.shuffle(source, "k", parts, store=store, shuffle=name)
            found: list[Any] = list(compute(*ours.to_delayed()))
        except (SchemaMismatch, TypeError) as refusal:
            assert "column '" in str(refusal), refusal
            assert expected is None or {"complex", "mixed"} & set(kinds), refusal
            return
        except UnicodeDecodeError:
            assert expected is None
            return
    if expected is None:
        return
    keys = [set(part.k) for part in found]
    assert sum(map(len, keys)) == len(set().union(*keys))
    rows = pd.concat(found).sort_index() if len(found) > 1 else found[0].sort_index()
    for column in expected.columns:
        same(column, rows[column], expected[column])


def same(name, ours, native):
    """Compare a column; categories that are unknown may have another order."""
    if isinstance(native.dtype, pd.CategoricalDtype) and "known" not in name:
        ours, native = ours.astype(object), native.astype(object)
    is_object = ours.dtype == object and native.dtype == object
    if is_object:
        assert [each for each in ours if not missing(each)] == [
            each for each in native if not missing(each)
        ]
        assert list(map(missing, ours)) == list(map(missing, native))
        return
    pd.testing.assert_series_equal(ours, native, check_categorical=True)


def missing(value):
    return value is None or value is pd.NA or value is pd.NaT or value != value


@drawn
@given(keys_of_two_sides(), st.integers(1, 5))
def test_partitions_of_two_sides_merge_as_whole_frames_do(tmp_path_factory, sides, parts):
    store = tmp_path_factory.mktemp("store")
    left, right = (
        pd.DataFrame({"k": key, side: range(len(key))})
        for key, side in zip(sides, "lr", strict=True)
    )
    with config.set(scheduler="sync"):
        halves = []
        for name, side in (("left", left), ("right", right)):
            shuffled = blobshuffle.dask.shuffle(
                dd.from_pandas(side, npartitions=1), "k", parts, store=store, shuffle=name
            )
            halves.append(compute(*shuffled.to_delayed()))
    found = [
        one.assign(k=one.k.astype(object)).merge(other.assign(k=other.k.astype(object)), on="k")
        for one, other in zip(*halves, strict=True)
    ]
    expected = left.assign(k=left.k.astype(object)).merge(
        right.assign(k=right.k.astype(object)), on="k"
    )
    pairs = sorted(pair for part in found for pair in zip(part["l"], part["r"], strict=True))
    assert pairs == sorted(zip(expected["l"], expected["r"], strict=True))


BLOCKS = st.lists(
    st.sampled_from(
        [
            pa.table({}),
            pa.table({"k": pa.nulls(0), "x": pa.nulls(0)}),
            pa.table({"k": pa.array([1, 2], pa.int8()), "x": pa.nulls(2)}),
            pa.table({"k": [1, 3], "x": pa.array([1, 2], pa.int8())}),
            pa.table({"k": [1.0, 2.5], "x": [1.5, None]}),
            pa.table({"x": [1 << 40], "k": [2]}),
            pa.table({"k": [1], "x": ["a"]}),
            pa.table({"k": [2], "x": pa.array(["b"]).dictionary_encode()}),
            pa.table({"k": [1], "x": pa.array(["c"], pa.large_string())}),
            pa.table({"k": [1], "x": [[1]]}),
            pa.table({"k": [1], "x": [[1.5]]}),
        ]
    ),
    min_size=1,
    max_size=5,
)


@drawn
@given(BLOCKS, st.booleans())
def test_blocks_are_one_table_as_arrow_makes_it(tmp_path_factory, blocks, are_known):
    """Do the work of the tasks of Ray and of processes, without workers."""
    store = tmp_path_factory.mktemp("store")
    made = plan(store, "s", len(blocks), 3, "k", "lz4", 64 << 20)
    full = [block for block in blocks if block.num_columns]
    try:
        if are_known:
            made = with_schema(made, [(str(n), schema_of(b)) for n, b in enumerate(blocks)])
        maps = whole(made, [write_map(made, n, 0, b) for n, b in enumerate(blocks)])
        found = reduce_range(made, maps, range(3), None)
    except SchemaMismatch as refusal:
        assert "column" in str(refusal)
        kinds = {"text": 0, "list": 0, "number": 0}
        for block in full:
            kind = str(block.schema.field("x").type)
            if kind != "null":
                kinds["list" if "list" in kind else "text" if "string" in kind else "number"] += 1
        assert sum(count > 0 for count in kinds.values()) > 1
        return
    rows = [row for part in found for row in part.to_pylist()]
    expected = [row for block in full for row in block.to_pylist()]
    assert sorted(map(plain, rows)) == sorted(map(plain, expected))
    for part, other in itertools.pairwise(found):
        assert part.schema.equals(other.schema)
        assert not full or not set(part["k"].to_pylist()) & set(other["k"].to_pylist())


def plain(row):
    value = row["x"]
    if isinstance(value, list):
        value = [float(each) for each in value]
    return repr((float(row["k"]), float(value) if isinstance(value, int) else value))


VALUES: dict[str, Any] = {
    "int8": st.integers(-9, 9),
    "int64": st.integers(-(1 << 40), 1 << 40),
    "float64": st.sampled_from([0.5, -1.0, 3.25]),
    "null": st.none(),
}


@st.composite
def blocks_of_columns(draw):
    """Blocks of several maps that have the key, and other columns of any types."""
    number = 0
    maps = []
    for _ in range(draw(st.integers(1, 4))):
        blocks = []
        for _ in range(draw(st.integers(1, 4))):
            names = draw(st.lists(st.sampled_from("kvwx"), unique=True).filter(lambda n: "k" in n))
            rows = draw(st.integers(1, 3))
            made = {"row": pa.array(range(number, number + rows), pa.int64())}
            number += rows
            for name in names:
                kind = draw(st.sampled_from(["int8", "int64"] if name == "k" else sorted(VALUES)))
                values = st.integers(0, 3) if name == "k" else st.none() | VALUES[kind]
                column = draw(st.lists(values, min_size=rows, max_size=rows))
                made[name] = pa.array(column, pa.type_for_alias(kind))
            blocks.append(pa.table(made))
        maps.append(blocks)
    return maps


def maps_of(store, maps, writing):
    spec = ray_datasets._Spec(LocalStore(store), "lz4", 64 << 20, {})
    made = ray_datasets._Writing(spec, 2, ["k"], shuffle="s", **writing)
    rows = [(batch for block in blocks for batch in block.to_batches()) for blocks in maps]
    return spec, [blob for task, batches in enumerate(rows) for blob in made.write(task, batches)]


@drawn
@given(blocks_of_columns())
def test_blocks_of_a_ray_dataset_are_one_table_as_arrow_makes_it(tmp_path_factory, maps):
    """Do the work of Ray's tasks, without workers."""
    spec, written = maps_of(tmp_path_factory.mktemp("store"), maps, {})
    rows, _ = ray_datasets._rows_of(spec, written)
    expected = pa.concat_tables(
        [block for blocks in maps for block in blocks], promote_options="permissive"
    )
    found = pa.Table.from_batches(
        [batch for number in range(2) for batch in rows.read(number)], rows.schema
    )
    assert set(found.schema.names) == set(expected.schema.names)
    assert [numbers(row) for row in found.sort_by("row").to_pylist()] == [
        numbers(row) for row in expected.to_pylist()
    ]


def numbers(row):
    """Return a row whose numbers have no type: Arrow and we may choose different ones."""
    return {name: None if each is None else float(each) for name, each in row.items()}


@drawn
@given(blocks_of_columns(), st.booleans())
def test_states_of_blocks_of_a_ray_dataset_are_those_of_one_table(
    tmp_path_factory, maps, needs_rows
):
    store = tmp_path_factory.mktemp("store")
    expected = pa.concat_tables(
        [block for blocks in maps for block in blocks], promote_options="permissive"
    )
    functions = ("sum", "count", "max", "mean", "size")
    names = [name for name in expected.schema.names if name not in ("k", "row")]
    wanted: Any = {f"{name} {each}": (name, each) for name in names for each in functions}
    if needs_rows:
        wanted |= {f"{name} kinds": (name, "count_distinct") for name in names}
    spec, written = maps_of(store, maps, {"aggregates": wanted})
    states, inputs = ray_datasets._rows_of(spec, written)
    plan = aggregation_plan(inputs, ["k"], wanted)
    states = states._replace(schema=plan.written_schema, convert=cast)
    work = aggregation(plan, spec.memory, spec.store)
    found = [
        row
        for number in range(2)
        for batch in work.merged(states, number)
        for row in batch.to_pylist()
    ]
    groups: dict[int, list[Any]] = {}
    for row in expected.to_pylist():
        groups.setdefault(row["k"], []).append(row)
    assert sorted(row["k"] for row in found) == sorted(groups)
    for row in found:
        rows = groups[row["k"]]
        for name in names:
            values = [each[name] for each in rows if each[name] is not None]
            total: Any = sum(values) if values else None
            assert row[f"{name} sum"] == total
            assert row[f"{name} count"] == len(values)
            assert row[f"{name} size"] == len(rows)
            assert row[f"{name} max"] == max(values, default=None)
            assert row.get(f"{name} kinds", len(set(values))) == len(set(values))
            assert row[f"{name} mean"] == (total / len(values) if values else None)


def test_blocks_of_a_task_of_ray_have_the_keys_and_types_in_common(tmp_path):
    less, more = pa.table({"k": [1]}), pa.table({"k": [2], "x": [3]})
    for blocks in ([more, less], [less, more]):
        spec, written = maps_of(tmp_path, [blocks], {})
        rows, _ = ray_datasets._rows_of(spec, written)
        found = [row for n in range(2) for batch in rows.read(n) for row in batch.to_pylist()]
        assert sorted(found, key=str) == [{"k": 1, "x": None}, {"k": 2, "x": 3}]
    with pytest.raises(SchemaMismatch, match=r"with block of map 0: column 'x' is int64 in one"):
        maps_of(tmp_path, [[more, less, pa.table({"k": [1], "x": ["a"]})]], {})
    # As Ray's own sort does.
    with pytest.raises(KeyError, match="shuffle by 'x'"):
        maps_of(tmp_path, [[more, less]], {"by": [("x", "ascending")]})


def test_the_document_has_the_differences():
    document = pathlib.Path(__file__).parents[2] / "docs/differences.md"
    assert chapter() in document.read_text("utf-8"), "Write what tests/differences.py prints."
