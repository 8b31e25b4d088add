"""Assigns rows to partitions by a hash of their key columns.

The hash is part of the contract: shuffles that are joined partition by partition must agree on
it across versions and languages. `docs/format.md`, "Partitions of keys", defines it.
"""

from __future__ import annotations

import decimal
import fractions
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from blobshuffle.rows import wide_decimals
from blobshuffle.schemas import field_of

# Its functions are made at run time, so type checkers do not know them.
_compute: Any = pc

Hashes = npt.NDArray[np.uint64]

_SEED = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_NULL = np.uint64(0x632BE59BD9B4E019)
_WORD = (1 << 64) - 1
_LONG_DIGITS = 18
_UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


def partition_ids(
    batch: pa.RecordBatch | pa.Table, keys: str | Sequence[str], partitions: int
) -> pa.UInt32Array:
    """Return the partition of each row, 0 to `partitions` - 1.

    `keys` names a column, or several. Equal keys have equal partitions, also if their types
    differ: numbers of all kinds and widths, strings and binary, times of all units, and
    dictionaries. Null is a key like others, and NaN equals it. Raises `KeyError` for a column
    that is not there and `TypeError` for a type without a hash.
    """
    # Multiply-shift spreads the upper 32 bits over the partitions without a division.
    return _spread(_hashes(batch, keys) >> np.uint64(32), partitions)


def division_ids(
    batch: pa.RecordBatch | pa.Table, keys: str | Sequence[str], parts: int, depth: int
) -> pa.UInt32Array:
    """Return the part of each row, when rows of one partition are divided by the same keys.

    `depth` counts the divisions before: each looks at bits that those before it did not use, for up
    to 8 divisions into up to 16 parts.
    """
    bits = _hashes(batch, keys) << np.uint64(4 * depth)
    return _spread(bits & np.uint64(0xFFFFFFFF), parts)


def _spread(words: Hashes, parts: int) -> pa.UInt32Array:
    """Return numbers of 32 bits as numbers below `parts`."""
    return pa.array(((words * np.uint64(parts)) >> np.uint64(32)).astype(np.uint32))


def _hashes(batch: pa.RecordBatch | pa.Table, keys: str | Sequence[str]) -> Hashes:
    keys = [keys] if isinstance(keys, str) else keys
    if not keys:
        raise ValueError("Cannot partition by no key: name at least one column.")
    hashes = np.full(batch.num_rows, _SEED, np.uint64)
    for key in keys:
        field_of(batch.schema, key, "partition by")
        column: Any = batch.column(key)
        if isinstance(column, pa.ChunkedArray):
            column = column.combine_chunks()
        hashes = _mix(hashes ^ _hash(column, key))
    return hashes


def _mix(words: Hashes) -> Hashes:
    """Finalise as splitmix64 does: each bit of the input changes half of the output."""
    words = words + _SEED
    words = (words ^ (words >> np.uint64(30))) * _FIRST
    words = (words ^ (words >> np.uint64(27))) * _SECOND
    return words ^ (words >> np.uint64(31))


def _hash(column: Any, key: str) -> Hashes:
    if isinstance(column, pa.ExtensionArray):
        is_bool = isinstance(column.type, pa.Bool8Type)
        column = column.storage
        if is_bool:
            column = column.cast(pa.bool_())
    data_type = column.type
    if pa.types.is_dictionary(data_type):
        return _hash_dictionary(column, key)
    if pa.types.is_run_end_encoded(data_type):
        return _hash(_compute.run_end_decode(column), key)
    if pa.types.is_null(data_type):
        return np.full(len(column), _NULL, np.uint64)
    hashes = _hash_values(column, key)
    if column.null_count:
        nulls = column.is_null().to_numpy(zero_copy_only=False)
        hashes[nulls] = _NULL
    return hashes


def _hash_dictionary(column: Any, key: str) -> Hashes:
    if len(column.dictionary) > len(column):
        return _hash(column.dictionary.take(column.indices), key)
    values = _hash(column.dictionary, key)
    if column.indices.null_count == 0 and len(values):
        return values[column.indices.to_numpy(zero_copy_only=False).astype(np.int64)]
    values = np.append(values, _NULL)
    indices = _compute.fill_null(column.indices.cast(pa.int64()), len(values) - 1)
    return values[indices.to_numpy(zero_copy_only=False)]


def _hash_values(column: Any, key: str) -> Hashes:
    data_type = column.type
    is_text = pa.types.is_string(data_type) or pa.types.is_large_string(data_type)
    if is_text or pa.types.is_binary(data_type) or pa.types.is_large_binary(data_type):
        return _hash_bytes(column)
    if pa.types.is_string_view(data_type) or pa.types.is_binary_view(data_type):
        wide = pa.large_string() if pa.types.is_string_view(data_type) else pa.large_binary()
        return _hash_bytes(column.cast(wide))
    if pa.types.is_fixed_size_binary(data_type):
        return _hash_bytes(column.cast(pa.large_binary()))
    if pa.types.is_decimal(data_type):
        return _hash_decimals(column)
    if pa.types.is_floating(data_type):
        return _hash_floats(_filled(column.cast(pa.float64())))
    return _mix(_words(column, key))


def _hash_floats(values: npt.NDArray[np.float64]) -> Hashes:
    """Hash a whole number as the integer that it equals, other numbers by their bits."""
    words = values.view(np.uint64).copy()
    is_whole = np.trunc(values) == values
    signed = is_whole & (values >= -(2.0**63)) & (values < 2.0**63)
    words[signed] = values[signed].astype(np.int64).view(np.uint64)
    unsigned = is_whole & (values >= 2.0**63) & (values < 2.0**64)
    words[unsigned] = values[unsigned].astype(np.uint64)
    hashes = _mix(words)
    hashes[np.isnan(values)] = _NULL
    return hashes


def _hash_decimals(column: Any) -> Hashes:
    column = wide_decimals(column)
    if not column.type.scale and column.type.precision <= _LONG_DIGITS:
        return _mix(_filled(column.cast(pa.int64())).view(np.uint64))
    encoded = column.dictionary_encode()
    found = [_hash_decimal(value) for value in encoded.dictionary.to_pylist()]
    values = np.array([*found, int(_NULL)], np.uint64)
    indices = _compute.fill_null(encoded.indices.cast(pa.int64()), len(values) - 1)
    return values[indices.to_numpy(zero_copy_only=False)]


def _hash_decimal(value: decimal.Decimal | None) -> int:
    """Hash a decimal as the integer or float that it equals, others by their shortest text."""
    if value is None:
        return int(_NULL)
    number = fractions.Fraction(value)
    if number.denominator == 1 and -(1 << 63) <= number < 1 << 64:
        return int(_mix(np.array([int(number) & _WORD], np.uint64))[0])
    near = float(value)
    if fractions.Fraction(near) == number:
        return int(_hash_floats(np.array([near]))[0])
    sign, digits, exponent = value.as_tuple()
    text = "".join(map(str, digits)).lstrip("0")
    places = -int(exponent)
    if places > 0:
        text = text.rjust(places + 1, "0")
        text = f"{text[:-places]}.{text[-places:]}".rstrip("0").rstrip(".")
    else:
        text += "0" * -places
    return int(_hash_bytes(pa.array([f"{'-' if sign else ''}{text}"]))[0])


def _words(column: Any, key: str) -> Hashes:
    """Return values of fixed width as 64 bits each. Nulls have any value."""
    data_type = column.type
    if pa.types.is_uint64(data_type):
        return _filled(column).astype(np.uint64)
    if pa.types.is_boolean(data_type) or pa.types.is_integer(data_type):
        return _filled(column.cast(pa.int64())).view(np.uint64)
    if pa.types.is_temporal(data_type) and not pa.types.is_interval(data_type):
        width = pa.int32() if data_type.bit_width == 32 else pa.int64()
        words = _filled(column.view(width).cast(pa.int64())).view(np.uint64)
        # Equal times are equal in nanoseconds, also where these wrap.
        return words * np.uint64(_nanoseconds(data_type))
    raise TypeError(
        f"Cannot partition by {key!r} of type {data_type}: name columns of numbers, strings, "
        "binary or times, or pass partition_ids."
    )


def _nanoseconds(data_type: Any) -> int:
    """Return the length of the unit of a type of time."""
    if pa.types.is_date32(data_type):
        return 86_400 * _UNITS["s"]
    return _UNITS["ms" if pa.types.is_date64(data_type) else data_type.unit]


def _filled(column: Any) -> npt.NDArray[Any]:
    filled = _compute.fill_null(column, 0) if column.null_count else column
    return np.array(filled.to_numpy(zero_copy_only=False))


def _hash_bytes(column: Any) -> Hashes:
    """Hash strings eight bytes at a time, all rows at once."""
    rows = len(column)
    is_large = pa.types.is_large_string(column.type) or pa.types.is_large_binary(column.type)
    _, offset_buffer, data = column.buffers()
    if rows == 0:
        return np.empty(0, np.uint64)
    width = np.dtype(np.int64 if is_large else np.int32)
    offsets = np.frombuffer(offset_buffer, width, rows + 1, column.offset * width.itemsize)
    starts, lengths = offsets[:-1].astype(np.int64), np.diff(offsets).astype(np.int64)
    first, last = int(offsets[0]), int(offsets[-1])
    raw = np.zeros(last - first + 8, np.uint8)
    if last > first:
        raw[: last - first] = np.frombuffer(data, np.uint8, last - first, first)
    starts -= first
    hashes = _mix(lengths.astype(np.uint64))
    # Words at every byte: a load for eight bytes of each row, wherever they start.
    words = np.ndarray((len(raw) - 7,), np.dtype("<u8"), raw, 0, (1,))
    left = np.flatnonzero(lengths > 0)
    at = 0
    while len(left):
        remaining = lengths[left] - at
        loaded = words[starts[left] + at]
        unused = (np.uint64(8) - np.minimum(remaining, 8).astype(np.uint64)) * np.uint64(8)
        loaded = (loaded << unused) >> unused
        hashes[left] = _mix(hashes[left] ^ loaded)
        at += 8
        left = left[remaining > 8]
    return hashes
