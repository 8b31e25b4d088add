"""Keys of the two sides of a join as columns of one type, so that equal keys compare equal.

A value that no value of the other side's type equals becomes null, and null matches nothing. So
no conversion rounds: 2^53 + 1 as an integer does not match 2^53 as a float.
"""

from __future__ import annotations

import decimal
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from blobshuffle.failure import SchemaMismatch
from blobshuffle.kinds import kind_of
from blobshuffle.rows import plain, wide_decimals
from blobshuffle.schemas import common_type, field_of

# Its functions are made at run time, so type checkers do not know them.
_compute: Any = pc

Conversion = Callable[[Any], Any]

_LONG = (1 << 63) - 1
_UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


class KeyPair(NamedTuple):
    """A key of both sides: its column in each, and how to convert it to the common type."""

    left: str
    right: str
    left_values: Conversion
    right_values: Conversion


def key_pairs(
    left: pa.Schema, right: pa.Schema, left_on: Sequence[str], right_on: Sequence[str]
) -> list[KeyPair]:
    """Return the keys of a join. Raises `SchemaMismatch` if types have no common one."""
    if len(left_on) != len(right_on) or not left_on:
        raise ValueError(
            f"Cannot join {list(left_on)} with {list(right_on)}: name as many columns on both "
            "sides, at least one."
        )
    return [_pair(left, right, *names) for names in zip(left_on, right_on, strict=True)]


def _pair(left: pa.Schema, right: pa.Schema, left_name: str, right_name: str) -> KeyPair:
    one = field_of(left, left_name, "join by").type
    other = field_of(right, right_name, "join by").type
    try:
        target = _target(_values(one), _values(other))
        return KeyPair(
            left_name,
            right_name,
            _conversion(_values(one), target),
            _conversion(_values(other), target),
        )
    except TypeError as failure:
        raise SchemaMismatch(
            f"Cannot join column {left_name!r} of type {one} with {right_name!r} of type {other}: "
            f"{failure}. Cast both to one type before you write them."
        ) from None


def wider_key(left: pa.Field, right: pa.Field) -> pa.DataType:
    """Return the type that holds the keys of both sides exactly. Raises `SchemaMismatch`."""
    one, other = left.type, right.type
    if one.equals(other):
        return one
    try:
        one, other = _values(one), _values(other)
        kinds = {_kind(one), _kind(other)}
        if kinds == {"text"}:
            is_large = pa.types.is_large_string(one) or pa.types.is_large_string(other)
            return pa.large_string() if is_large else pa.string()
        if kinds == {"float", "int"} and max(_integer_bits(one), _integer_bits(other)) > 32:
            raise TypeError("no float holds all integers of 64 bits")
        if "decimal" in kinds and kinds <= {"decimal", "int"}:
            return _common_decimal(_as_decimal(one), _as_decimal(other))
        return common_type(one, other)
    except (TypeError, pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise SchemaMismatch(
            f"Cannot return key {left.name!r} of a right or full join: it is {left.type} on the "
            f"left and {right.type} on the right, and no type holds both exactly. Cast both to "
            "one type, or give the keys different names."
        ) from None


def _integer_bits(data_type: Any) -> int:
    return data_type.bit_width if pa.types.is_integer(data_type) else 0


def _values(data_type: Any) -> Any:
    """Return the type of a column's values: of its dictionary, runs or storage."""
    while True:
        if pa.types.is_dictionary(data_type) or pa.types.is_run_end_encoded(data_type):
            data_type = data_type.value_type
        elif isinstance(data_type, pa.Bool8Type):
            return pa.bool_()
        elif isinstance(data_type, pa.BaseExtensionType):
            data_type = data_type.storage_type
        else:
            return data_type


def _kind(data_type: Any) -> str:
    """Return the kind of a type of keys. Booleans are integers; times have a zone or not."""
    kind = kind_of(data_type)
    if kind is None:
        raise TypeError(f"{data_type} is no type of a key")
    if kind == "timestamp":
        return "instant" if data_type.tz else "local time"
    return "int" if kind == "bool" else kind


def _target(one: Any, other: Any) -> Any:
    """Return the type in which two are compared."""
    kinds = {_kind(one), _kind(other)} - {"null"}
    if not kinds:
        return pa.int64()
    if len(kinds) == 1 and pa.types.is_null(one):
        one = other
    if len(kinds) == 1 and pa.types.is_null(other):
        other = one
    if kinds <= {"int", "float", "decimal"} and "int" in kinds:
        both = [each for each in (one, other) if _kind(each) == "int"]
        return pa.uint64() if all(map(pa.types.is_uint64, both)) else pa.int64()
    if kinds == {"float"}:
        return pa.float64()
    if kinds == {"decimal"}:
        return _common_decimal(one, other)
    if kinds == {"text"}:
        return pa.string() if one.equals(pa.string()) and other.equals(one) else pa.large_string()
    if kinds == {"bytes"}:
        return one if one.equals(other) and not pa.types.is_binary_view(one) else pa.large_binary()
    if len(kinds) == 1:
        return pa.duration(_coarser(one, other))
    raise TypeError("their values are not comparable exactly")


def _coarser(one: Any, other: Any) -> Any:
    unit = min(max(map(_unit, (one, other))), _UNITS["s"])
    return next(name for name, length in _UNITS.items() if length == unit)


def _unit(data_type: Any) -> int:
    """Return the length of a unit of time, nanoseconds; that of dates is one second at most."""
    if pa.types.is_date32(data_type):
        return 86_400 * _UNITS["s"]
    return _UNITS["ms" if pa.types.is_date64(data_type) else data_type.unit]


def _as_decimal(data_type: Any) -> Any:
    """Return the decimal type that holds all values of a type of integers."""
    if pa.types.is_boolean(data_type):
        raise TypeError("Arrow makes no decimals of booleans")
    if pa.types.is_integer(data_type):
        return pa.decimal128({8: 3, 16: 5, 32: 10, 64: 20}[data_type.bit_width], 0)
    return data_type


def _common_decimal(one: Any, other: Any) -> Any:
    scale = max(one.scale, other.scale)
    precision = scale + max(one.precision - one.scale, other.precision - other.scale)
    if precision > 76:
        raise TypeError(f"a decimal of {precision} digits would be needed")
    return pa.decimal128(precision, scale) if precision <= 38 else pa.decimal256(precision, scale)


def _conversion(own: Any, target: Any) -> Conversion:
    """Return how to convert columns whose values have a type of their own."""
    kind = _kind(own)
    convert: Conversion
    if kind == "null":
        convert = lambda column: pa.nulls(len(column), target)  # noqa: E731
    elif pa.types.is_integer(target):
        convert = {"int": _integers, "float": _whole_floats, "decimal": _whole_decimals}[kind](
            target
        )
    elif kind == "float":
        convert = _floats
    elif pa.types.is_duration(target):
        convert = _times(own, _UNITS[target.unit])
    else:
        convert = lambda column: column.cast(target)  # noqa: E731
    return lambda column: _through_dictionary(_stored(column), convert)


def _stored(column: Any) -> Any:
    while isinstance(column, pa.ExtensionArray):
        is_bool = isinstance(column.type, pa.Bool8Type)
        column = column.storage.cast(pa.bool_()) if is_bool else column.storage
    return column


def _through_dictionary(column: Any, convert: Conversion) -> Any:
    if pa.types.is_run_end_encoded(column.type):
        column = _compute.run_end_decode(column)
    if not pa.types.is_dictionary(column.type):
        return convert(column)
    if len(column.dictionary) > len(column):
        return convert(_stored(plain(column)))
    return convert(_stored(column.dictionary)).take(column.indices)


def _integers(target: Any) -> Conversion:
    def convert(column: Any) -> Any:
        if pa.types.is_uint64(column.type) and not pa.types.is_uint64(target):
            fits = _compute.less_equal(column, pa.scalar(_LONG, pa.uint64()))
            column = _compute.if_else(fits, column, pa.scalar(None, pa.uint64()))
        return column.cast(target)

    return convert


def _whole_floats(target: Any) -> Conversion:
    low, high = (0.0, 2.0**64) if pa.types.is_uint64(target) else (-(2.0**63), 2.0**63)

    def convert(column: Any) -> Any:
        values = _float_values(column)
        with np.errstate(invalid="ignore"):
            fits = (np.trunc(values) == values) & (values >= low) & (values < high)
        whole = np.where(fits, values, 0).astype(target.to_pandas_dtype())
        return pa.array(whole, mask=~fits)

    return convert


def _float_values(column: Any) -> Any:
    """Return floats as numpy numbers; null is NaN."""
    return np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False), np.float64)


def _floats(column: Any) -> Any:
    values = _float_values(column)
    return pa.array(values + 0.0, mask=np.isnan(values))


def _whole_decimals(target: Any) -> Conversion:
    low, high = (0, 1 << 64) if pa.types.is_uint64(target) else (-(1 << 63), 1 << 63)

    def whole(value: decimal.Decimal | None) -> int | None:
        if value is None or not low <= value < high or value != int(value):
            return None
        return int(value)

    def convert(column: Any) -> Any:
        encoded = wide_decimals(column).dictionary_encode()
        values = pa.array([whole(value) for value in encoded.dictionary.to_pylist()], target)
        return values.take(encoded.indices)

    return convert


def _times(own: Any, unit: int) -> Conversion:
    """Return how to convert times to whole units; other times match nothing."""
    length = _unit(own)

    def convert(column: Any) -> Any:
        width = pa.int32() if own.bit_width == 32 else pa.int64()
        numbers = column.view(width).cast(pa.int64())
        if length >= unit:
            return _compute.multiply(numbers, length // unit)
        ratio = unit // length
        values = np.asarray(_compute.fill_null(numbers, 0).to_numpy(zero_copy_only=False))
        is_null = numbers.is_null().to_numpy(zero_copy_only=False)
        return pa.array(values // ratio, mask=is_null | (values % ratio != 0))

    return convert
