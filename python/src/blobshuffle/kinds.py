"""Kinds of Arrow types whose values are of one sort, whatever their width."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

_KINDS: tuple[tuple[str, Callable[[pa.DataType], bool]], ...] = (
    ("null", pa.types.is_null),
    ("bool", pa.types.is_boolean),
    ("int", pa.types.is_integer),
    ("float", pa.types.is_floating),
    ("decimal", pa.types.is_decimal),
    ("text", pa.types.is_string),
    ("text", pa.types.is_large_string),
    ("text", pa.types.is_string_view),
    ("bytes", pa.types.is_binary),
    ("bytes", pa.types.is_large_binary),
    ("bytes", pa.types.is_binary_view),
    ("bytes", pa.types.is_fixed_size_binary),
    ("date", pa.types.is_date),
    ("time", pa.types.is_time),
    ("duration", pa.types.is_duration),
    ("timestamp", pa.types.is_timestamp),
)


def kind_of(data_type: pa.DataType) -> str | None:
    """Return the kind of a type; None for nested, encoded, extension and other types."""
    return next((kind for kind, belongs in _KINDS if belongs(data_type)), None)
