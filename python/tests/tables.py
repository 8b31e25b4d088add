"""Drawn Arrow columns of every type, and drawn pandas columns."""

import datetime
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute
from hypothesis import strategies as st

_compute: Any = pyarrow.compute

_WORDS = ["", "a", "customer", "longer than twelve bytes", "ä€", "\0"]

_SCALARS: dict[pa.DataType, st.SearchStrategy[Any]] = {
    pa.bool_(): st.booleans(),
    pa.int8(): st.integers(-128, 127),
    pa.int64(): st.integers(-(1 << 63), (1 << 63) - 1),
    pa.uint64(): st.integers(0, (1 << 64) - 1),
    pa.float16(): st.floats(width=16).map(np.float16),
    pa.float32(): st.floats(width=32),
    pa.float64(): st.floats(),
    pa.string(): st.sampled_from(_WORDS),
    pa.large_string(): st.sampled_from(_WORDS),
    pa.string_view(): st.sampled_from(_WORDS),
    pa.binary(): st.binary(max_size=20),
    pa.binary_view(): st.binary(max_size=20),
    pa.binary(3): st.binary(min_size=3, max_size=3),
    pa.decimal32(5, 2): st.decimals(-999, 999, places=2),
    pa.decimal64(15, 2): st.decimals(-1000000, 1000000, places=2),
    pa.decimal128(20, 2): st.decimals(-1000000, 1000000, places=2),
    pa.decimal256(50, 5): st.decimals(-1000000, 1000000, places=5),
    pa.date32(): st.dates(),
    pa.date64(): st.dates(),
    pa.time32("s"): st.times().map(lambda each: each.replace(microsecond=0)),
    pa.large_binary(): st.binary(max_size=20),
    pa.time64("us"): st.times(),
    pa.timestamp("us"): st.datetimes(),
    pa.timestamp("ms", "UTC"): st.datetimes(timezones=st.just(datetime.timezone.utc)).map(
        lambda each: each.replace(microsecond=each.microsecond // 1000 * 1000)
    ),
    pa.duration("us"): st.timedeltas(datetime.timedelta(-9999), datetime.timedelta(9999)),
    pa.month_day_nano_interval(): st.just((1, 2, 3)),
    pa.null(): st.none(),
}


def _nested(children: st.SearchStrategy[pa.DataType]) -> st.SearchStrategy[pa.DataType]:
    return st.one_of(
        children.map(pa.list_),
        children.map(pa.large_list),
        children.map(pa.list_view),
        children.map(lambda child: pa.list_(child, 2)),
        children.map(lambda child: pa.map_(pa.string(), child)),
        st.lists(children, min_size=1, max_size=3).map(
            lambda found: pa.struct([(f"f{n}", each) for n, each in enumerate(found)])
        ),
    )


TYPES = st.recursive(st.sampled_from(list(_SCALARS)), _nested, max_leaves=4)


def _values(data_type: Any) -> st.SearchStrategy[Any]:
    types = pa.types
    if types.is_map(data_type):
        items = _values(data_type.item_type)
        found: Any = st.lists(st.tuples(st.sampled_from(_WORDS), items), max_size=3)
    elif types.is_fixed_size_list(data_type):
        found = st.lists(_values(data_type.value_type), min_size=2, max_size=2)
    elif types.is_struct(data_type):
        found = st.fixed_dictionaries(
            {field.name: _values(field.type) for field in list(data_type)}
        )
    elif types.is_nested(data_type):
        found = st.lists(_values(data_type.value_type), max_size=3)
    else:
        found = _SCALARS[data_type]
    return st.none() | found


@st.composite
def columns(draw: Any, rows: int) -> Any:
    """Draw a column of a drawn type: plain, dictionary, run-end encoded, extension or a slice."""
    data_type = draw(TYPES)
    before = draw(st.integers(0, 3))
    count = rows + before
    values = draw(st.lists(_values(data_type), min_size=count, max_size=count))
    column: Any = pa.array(values, data_type)
    kind = draw(st.sampled_from(["plain", "plain", "dictionary", "runs", "opaque", "struct"]))
    is_simple = not pa.types.is_nested(data_type) and not pa.types.is_null(data_type)
    if kind == "dictionary" and is_simple and not pa.types.is_interval(data_type):
        index = draw(st.sampled_from([pa.int8(), pa.int32(), pa.uint16()]))
        indices = draw(
            st.lists(st.none() | st.integers(0, 2), min_size=count, max_size=count)
            if count > 2
            else st.just([0] * count)
        )
        column = pa.DictionaryArray.from_arrays(pa.array(indices, index), column)
    elif kind == "runs" and is_simple and not pa.types.is_interval(data_type):
        try:
            column = _compute.run_end_encode(column)
        except pa.ArrowNotImplementedError:
            kind = "plain"
    elif kind == "opaque":
        opaque = pa.opaque(data_type, "kind", "vendor")
        column = pa.ExtensionArray.from_storage(opaque, column)
    column = column.slice(before)
    if kind == "struct":
        mask = pa.array([draw(st.booleans()) for _ in range(rows)], pa.bool_())
        column = pa.StructArray.from_arrays([column], ["inner"], mask=mask)
    return column


def _series(values: list[Any], dtype: Any) -> Any:
    return pd.Series(values, dtype=dtype)


_TEXTS = st.sampled_from(["", "a", "b", "ä", "customer"])
_INTEGERS = st.integers(-5, 5)

PANDAS: dict[str, tuple[st.SearchStrategy[Any], Any]] = {
    "int8": (_INTEGERS, "int8"),
    "int64": (st.integers(-(1 << 62), 1 << 62), "int64"),
    "uint64": (st.integers(0, (1 << 64) - 1), "uint64"),
    "float32": (st.floats(width=32), "float32"),
    "float64": (st.floats() | _INTEGERS.map(float), "float64"),
    "bool": (st.booleans(), "bool"),
    "Int64": (st.none() | st.integers(-(1 << 62), 1 << 62), "Int64"),
    "Float64": (st.none() | st.floats(allow_nan=False), "Float64"),
    "boolean": (st.none() | st.booleans(), "boolean"),
    "str": (st.none() | _TEXTS, "str"),
    "string": (st.none() | _TEXTS, "string"),
    "object": (st.none() | _TEXTS, object),
    "bytes": (st.none() | st.binary(max_size=5), object),
    "decimals": (st.none() | st.decimals(-99, 99, places=2), object),
    "dates": (st.none() | st.dates(), object),
    "lists": (st.none() | st.lists(_INTEGERS, max_size=3), object),
    "tuples": (st.none() | st.tuples(_INTEGERS, _INTEGERS), object),
    "sets": (st.none() | st.sets(_TEXTS), object),
    "timestamps": (st.none() | st.integers(0, 1 << 60).map(pd.Timestamp), object),
    "timedeltas": (st.none() | st.integers(0, 1 << 60).map(pd.Timedelta), object),
    "zoned objects": (
        st.none() | st.integers(0, 1 << 60).map(lambda n: pd.Timestamp(n, tz="Europe/Berlin")),
        object,
    ),
    "numbers of numpy": (st.none() | _INTEGERS.map(np.int64), object),
    "flags": (st.none() | st.booleans(), object),
    "mixed": (st.sampled_from(["a", 1, b"x", {"a": 1}, (1, 2)]), object),
    "times": (st.none() | st.datetimes(datetime.datetime(1990, 1, 1)), "datetime64[us]"),
    "zoned": (
        st.none() | st.datetimes(datetime.datetime(1990, 1, 1), datetime.datetime(2100, 1, 1)),
        "datetime64[ns, Europe/Berlin]",
    ),
    "spans": (st.none() | st.timedeltas(datetime.timedelta(-99), datetime.timedelta(99)), "m8[ns]"),
    "period": (st.sampled_from(["2026-01", "2027-02"]), "period[M]"),
    "sparse": (st.sampled_from([0, 0, 1]), "Sparse[int]"),
    "category": (st.none() | _TEXTS, "category"),
    "categories of integers": (st.none() | _INTEGERS, "category"),
    "known category": (
        st.none() | _TEXTS,
        pd.CategoricalDtype(["", "a", "b", "ä", "customer", "never"], ordered=True),
    ),
    "arrow list": (
        st.none() | st.lists(_INTEGERS, max_size=3),
        pd.ArrowDtype(pa.list_(pa.int64())),
    ),
    "arrow decimal": (
        st.none() | st.decimals(-99, 99, places=2),
        pd.ArrowDtype(pa.decimal128(10, 2)),
    ),
    "arrow struct": (
        st.none() | st.fixed_dictionaries({"a": _INTEGERS}),
        pd.ArrowDtype(pa.struct([("a", pa.int64())])),
    ),
    "arrow dictionary": (_TEXTS, pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))),
    "arrow float": (st.none() | st.floats(), pd.ArrowDtype(pa.float64())),
    "complex": (st.just(1j), "complex128"),
}


@st.composite
def frames(draw: Any) -> tuple[list[pd.DataFrame], list[str]]:
    """Draw the partitions of a frame with a key `k` and columns of drawn kinds; and their kinds."""
    kinds = draw(st.lists(st.sampled_from(sorted(PANDAS)), min_size=1, max_size=3))
    parts = []
    start = 0
    for _ in range(draw(st.integers(1, 3))):
        rows = draw(st.integers(0, 6))
        data: dict[str, Any] = {
            "k": _series(draw(st.lists(_INTEGERS, min_size=rows, max_size=rows)), "int64")
        }
        for number, kind in enumerate(kinds):
            values, dtype = PANDAS[kind]
            found = draw(st.lists(values, min_size=rows, max_size=rows))
            data[f"{number} {kind}"] = _series(found, dtype)
        part = pd.DataFrame(data)
        part.index = pd.Index(np.arange(start, start + rows), name="row")
        parts.append(part)
        start += rows
    return parts, kinds


@st.composite
def keys_of_two_sides(draw: Any) -> tuple[Any, Any]:
    """Draw key columns of two sides that an engine may compare, with types of their own."""
    numbers: list[tuple[st.SearchStrategy[Any], Any]] = [
        (_INTEGERS, "int64"),
        (st.integers(0, 5), "uint8"),
        (st.none() | _INTEGERS, "Int32"),
        (_INTEGERS.map(float), "float64"),
        (_INTEGERS.map(float), "float32"),
        (_INTEGERS, "category"),
    ]
    texts: list[tuple[st.SearchStrategy[Any], Any]] = [
        (_TEXTS, "str"),
        (st.none() | _TEXTS, "string"),
        (_TEXTS, "category"),
        (_TEXTS, pd.ArrowDtype(pa.large_string())),
    ]
    times: list[tuple[st.SearchStrategy[Any], Any]] = [
        (st.sampled_from([datetime.datetime(2026, 1, n) for n in (1, 2, 3)]), f"datetime64[{unit}]")
        for unit in ("s", "ms", "us", "ns")
    ]
    family = draw(st.sampled_from([numbers, texts, times]))
    sides = []
    for _ in range(2):
        values, dtype = draw(st.sampled_from(family))
        sides.append(_series(draw(st.lists(values, min_size=1, max_size=12)), dtype))
    return sides[0], sides[1]


__all__ = ["PANDAS", "TYPES", "columns", "frames", "keys_of_two_sides"]
