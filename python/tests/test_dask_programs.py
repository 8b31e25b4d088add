"""Drawn Dask programs have the results of Dask's own shuffle: values, types, index and row order.

`--examples 2000` draws so many programs. `differences.py` has the differences that are allowed.
"""

import datetime
import warnings
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from dask import config
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from shuffles import stored
from tables import PANDAS

import blobshuffle.dask
from blobshuffle import dask_expressions, dask_tasks

# A program takes long to run, so a failure is reported as it was drawn, without shrinking it.
drawn = settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    print_blob=True,
)

_SMALL = st.integers(-3, 3)
_TEXTS = st.sampled_from(["", "a", "b", "ä", "customer"])
_DAY = datetime.date(2026, 1, 2)

KEYS: dict[str, list[tuple[st.SearchStrategy[Any], Any]]] = {
    "numbers": [
        (_SMALL, "int64"),
        (_SMALL, "int32"),
        (st.integers(0, 3), "uint8"),
        (st.none() | _SMALL, "Int64"),
        (st.none() | _SMALL.map(float), "float64"),
        (_SMALL.map(float), "float32"),
    ],
    "texts": [
        (st.none() | _TEXTS, "str"),
        (st.none() | _TEXTS, "string[pyarrow]"),
        (_TEXTS, "category"),
        (_TEXTS, pd.CategoricalDtype(["customer", "b", "ä", "a", "", "never"])),
    ],
    "decimals": [PANDAS["arrow decimal"]],
    "dates of arrow": [(st.none() | st.dates(_DAY, _DAY), pd.ArrowDtype(pa.date32()))],
    "objects": [PANDAS["dates"], PANDAS["flags"], PANDAS["bytes"]],
    "zoned": [PANDAS["zoned"]],
    "times": [(st.none() | PANDAS["times"][0], "datetime64[us]")],
    "flags": [(st.booleans(), "bool")],
}

VALUES = sorted(
    set(PANDAS) - {"mixed", "complex", "arrow list", "lists", "tuples", "sets", "arrow struct"}
)


@st.composite
def key_columns(draw: Any, family: str) -> tuple[st.SearchStrategy[Any], Any]:
    """Draw a type of keys. Some sides have one key only, or none but missing ones."""
    values, dtype = draw(st.sampled_from(KEYS[family]))
    kind = draw(st.sampled_from(["any", "any", "any", "one", "missing"]))
    if kind == "one":
        return st.just(draw(values.filter(lambda each: each is not None))), dtype
    if kind == "missing" and str(dtype) in ("Int64", "float64", "str", "string[pyarrow]"):
        return st.none(), dtype
    return values, dtype


@st.composite
def sides(draw: Any, family: str, name: str) -> list[pd.DataFrame]:
    """Draw the partitions of a frame: two keys, a value of a drawn kind and a number."""
    key, dtype = draw(key_columns(family))
    values, kind = PANDAS[draw(st.sampled_from(VALUES))]
    parts, start = [], 0
    for _ in range(draw(st.integers(1, 5))):
        rows = draw(st.integers(0, 6))

        def column(one: Any, of: Any, rows: int = rows) -> Any:
            return pd.Series(draw(st.lists(one, min_size=rows, max_size=rows)), dtype=of)

        part = pd.DataFrame(
            {"k": column(key, dtype), "j": column(_SMALL, "int64"), "v": column(values, kind)}
        )
        part[name] = np.arange(start, start + rows)
        part.index = pd.Index(np.arange(start, start + rows) % 7, name="row")
        parts.append(part)
        start += rows
    return parts


def lazy(parts: list[pd.DataFrame]) -> Any:
    """Return a Dask frame; Dask does not know the categories of partitions that differ."""
    meta = parts[0][:0].copy()
    for name in meta.columns:
        if str(meta[name].dtype) == "category" and "never" not in meta[name].cat.categories:
            meta[name] = pd.Categorical([], ["__UNKNOWN_CATEGORIES__"])
    return dd.from_map(lambda number: parts[number], range(len(parts)), meta=meta)


def span(rows: pd.DataFrame) -> pd.Series:
    """Return a custom aggregation of a group."""
    return pd.Series({"least": rows["j"].min(), "most": rows["j"].max()})


KINDS = dd.Aggregation(
    "kinds",
    lambda groups: groups.apply(set),
    lambda kinds: kinds.apply(lambda sets: set().union(*sets)),
    lambda kinds: kinds.apply(len),
)
DISTANCE = dd.Aggregation(
    "distance",
    lambda groups: (groups.max(), groups.min()),
    lambda most, least: (most.max(), least.min()),
    lambda most, least: most - least,
)

HOWS = ["inner", "left", "right", "outer", "leftsemi"]


@st.composite
def merges(draw: Any) -> Any:
    """Draw a merge of two frames; its name says which."""
    how = draw(st.sampled_from(HOWS))
    form = draw(st.sampled_from(["on", "two", "index", "left_on", "column and index"]))
    options: dict[str, Any] = {"how": how}
    options |= {"npartitions": draw(st.integers(1, 7))} if draw(st.booleans()) else {}
    if how != "leftsemi":
        options |= {"indicator": True} if draw(st.booleans()) else {}
        options |= {"suffixes": ("_of_left", "_of_right")} if draw(st.booleans()) else {}
    if form == "on":
        options["on"] = "k"
    elif form == "two":
        options["on"] = ["k", "j"]
    elif form == "left_on" and how != "leftsemi":
        options |= {"left_on": "k", "right_on": "k"}
    elif form == "column and index" and how in ("inner", "left"):
        options |= {"left_on": "j", "right_index": True}
    elif how != "leftsemi":
        options |= {"left_index": True, "right_index": True}
    else:
        options["on"] = "k"
    return options


AFTER = {
    "nothing": lambda frame: frame,
    "sum": lambda frame: frame.groupby("j").agg({"k": "count", "l": "sum"}, split_out=3),
    "groups": lambda frame: frame.groupby("k", dropna=False, observed=True).agg(
        {"j": ["min", "max"], "l": "sum"}, split_out=2
    ),
    "unsorted": lambda frame: frame.groupby(["k", "j"], sort=False, observed=True).l.sum(
        split_out=3
    ),
    "custom": lambda frame: frame.groupby("k", observed=True).agg({"j": DISTANCE}, split_out=2),
    "apply": lambda frame: frame.groupby("k", observed=True).apply(
        span, meta=pd.DataFrame({"least": [0], "most": [0]}), include_groups=False
    ),
    "transform": lambda frame: frame.groupby("j").l.transform("max", meta=("l", "int64")),
    "nunique": lambda frame: frame.groupby("k", observed=True).j.nunique(split_out=2),
    "sort": lambda frame: frame.sort_values("k"),
    "sort down": lambda frame: frame.sort_values(["k", "l"], ascending=False),
    "sort nulls first": lambda frame: frame.sort_values("k", na_position="first"),
    "median": lambda frame: frame.groupby("j").l.median(split_out=2),
    "first": lambda frame: frame.groupby("j").l.first(split_out=2),
    "kinds": lambda frame: frame.groupby("j").agg({"l": KINDS}, split_out=2),
    "different": lambda frame: (
        frame.groupby("j").l.unique(split_out=2).map(list, meta=("l", object))
    ),
    "lists": lambda frame: frame.groupby("j").agg({"l": list}, split_out=2),
    "spread": lambda frame: frame.groupby("j").agg({"l": ["var", "std"]}, split_out=2),
    "sums so far": lambda frame: frame.groupby("j").l.cumsum(),
    "last duplicates": lambda frame: frame.drop_duplicates(subset="j", keep="last", split_out=2),
    "new numbers": lambda frame: frame.drop_duplicates(
        subset="j", ignore_index=True, split_out=2
    ).map_partitions(lambda part: part.reset_index(drop=True)),
    "divisions": lambda frame: frame.set_index("j", divisions=[-3, 0, 3]),
    "shuffle by value": lambda frame: frame.shuffle("v" if "v" in frame.columns else "j"),
    "nothing left": lambda frame: frame[frame.l < -1].shuffle("j", npartitions=2),
    "set index": lambda frame: frame.set_index("j"),
    "set index of text": lambda frame: frame.set_index("k"),
    "duplicates": lambda frame: frame[["k", "j"]].drop_duplicates(split_out=3),
    "unique": lambda frame: frame.k.unique(split_out=2),
    "values": lambda frame: frame.k.value_counts(split_out=2),
    "shuffle": lambda frame: frame.shuffle("k", npartitions=4),
    "shuffle on index": lambda frame: frame.shuffle(on_index=True, npartitions=3),
    "one partition": lambda frame: frame.shuffle("k", npartitions=4).partitions[1],
    "without index": lambda frame: frame.shuffle(
        "j", npartitions=3, ignore_index=True
    ).map_partitions(lambda part: part.reset_index(drop=True)),
}


def outcome(program: Any, method: str) -> Any:
    """Return the result, or the failure."""
    with warnings.catch_warnings(), config.set({"dataframe.shuffle.method": method}):
        warnings.simplefilter("ignore")
        try:
            made = program()
            return made._meta, made.compute(scheduler="sync")
        except Exception as failure:
            return failure


def compare(program: Any, store: Any) -> None:
    """Run a program in both ways."""
    expected = outcome(program, "tasks")
    with blobshuffle.dask.enable(store) as session:
        found = outcome(program, "blobs")
        # Only the lease is left: Dask has the result.
        assert [path.name for path in stored(store)] == [session.shuffle]
    assert stored(store) == []
    if isinstance(expected, Exception):
        return
    if isinstance(found, Exception):
        raise found
    for one, other in zip(found, expected, strict=True):
        same(one, other)


def same(found: Any, expected: Any) -> None:
    """Compare results. Unknown categories may have another order, and objects one null."""
    assert type(found) is type(expected)
    if isinstance(expected, pd.Series):
        found, expected = found.to_frame("of"), expected.to_frame("of")
    if not isinstance(expected, pd.DataFrame):
        assert found == expected
        return
    assert list(found.columns) == list(expected.columns)
    assert list(found.index.names) == list(expected.index.names)
    for number in range(expected.index.nlevels):
        same_values(*(each.index.get_level_values(number) for each in (found, expected)))
    for number in range(expected.shape[1]):
        same_values(found.iloc[:, number], expected.iloc[:, number])


def same_values(found: Any, expected: Any) -> None:
    """Compare columns. Without rows the types are those of the metadata, here and there."""
    if not len(expected):
        assert not len(found)
        return
    if isinstance(expected.dtype, pd.CategoricalDtype):
        assert isinstance(found.dtype, pd.CategoricalDtype)
        assert found.dtype.ordered == expected.dtype.ordered
        if "never" in expected.dtype.categories:
            assert found.dtype == expected.dtype
        found, expected = found.astype(object), expected.astype(object)
    assert found.dtype == expected.dtype
    nulls = [pd.isna(np.asarray(each, object)) for each in (found, expected)]
    assert nulls[0].tolist() == nulls[1].tolist()
    values = [[v for v, null in zip(each, isna, strict=True) if not null]
              for each, isna in zip((found, expected), nulls, strict=True)]  # fmt: skip
    assert values[0] == values[1]


@drawn
@given(st.data())
def test_a_program_has_the_result_of_dasks_own_shuffle(tmp_path_factory, data):
    family = data.draw(st.sampled_from(sorted(KEYS)))
    converts = data.draw(st.booleans())
    left, right = (data.draw(sides(family, name)) for name in "lr")
    options = data.draw(merges())
    after = data.draw(st.sampled_from(sorted(AFTER)))

    def program() -> Any:
        frame = lazy(left).merge(lazy(right), **options)
        if "j" not in frame.columns or "k" not in frame.columns:
            frame = frame.rename(columns=lambda name: name.split("_")[0]).map_partitions(
                lambda part: part.loc[:, ~part.columns.duplicated()]
            )
        return AFTER[after](frame)

    with config.set({"dataframe.convert-string": converts}):
        compare(program, tmp_path_factory.mktemp("store"))


@drawn
@given(st.data())
def test_an_operation_has_the_result_of_dasks_own(tmp_path_factory, data):
    parts = data.draw(sides(data.draw(st.sampled_from(sorted(KEYS))), "l"))
    after = data.draw(st.sampled_from(sorted(AFTER)))
    compare(lambda: AFTER[after](lazy(parts)), tmp_path_factory.mktemp("store"))


@pytest.mark.parametrize("known", [["a", "b"], ["__UNKNOWN_CATEGORIES__"]])
@pytest.mark.parametrize("is_ordered", [True, False])
def test_ordered_categories_stay_ordered_whatever_the_metadata_says(tmp_path, known, is_ordered):
    """The `meta` that a program passes may be wrong about it."""
    column = pd.Categorical(["b", "a", None], ["a", "b"], ordered=is_ordered)
    part = pd.DataFrame({"k": [1, 2, 3], "v": column})
    meta = part[:0].assign(v=pd.Categorical([], known, ordered=not is_ordered))

    def shuffled() -> Any:
        return dd.from_map(lambda _: part, range(3), meta=meta).shuffle("k", npartitions=2)

    compare(shuffled, tmp_path)


@pytest.mark.parametrize(
    "program",
    [
        lambda frame: frame.shuffle([("a", "k")], npartitions=2),
        lambda frame: frame.shuffle(on_index=True, npartitions=2),
        lambda frame: frame.drop_duplicates(split_out=2),
        lambda frame: frame.merge(frame, left_index=True, right_index=True),
    ],
)
def test_columns_of_several_levels_are_those_of_dask(tmp_path, program):
    """Dask leaves its own column in the result of most of these."""
    rows = pd.DataFrame({("a", "k"): [1, 2, 3, 1] * 5, ("a", "v"): range(20)})
    compare(lambda: program(dd.from_pandas(rows, npartitions=3)), tmp_path)


def test_a_lost_row_and_another_order_are_found(tmp_path, monkeypatch):
    part = pd.DataFrame({"k": ["a", "b"], "j": [1, 2], "v": [1.5, None]})
    parts = [part.assign(l=number) for number in range(3)]

    def shuffled() -> Any:
        return lazy(parts).shuffle("k", npartitions=2)

    compare(shuffled, tmp_path)
    for wrong in (lambda rows: rows[:-1], lambda rows: rows[::-1], lambda rows: rows.fillna(0)):

        def load(*arguments: Any, wrong: Any = wrong) -> Any:
            return wrong(dask_tasks.load(*arguments))

        monkeypatch.setattr(dask_expressions, "load", load)
        with pytest.raises(AssertionError):
            compare(shuffled, tmp_path)
