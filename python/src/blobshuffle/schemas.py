"""One schema for the rows of all maps, if theirs differ by nullness, width or emptiness."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from blobshuffle.failure import SchemaMismatch
from blobshuffle.kinds import kind_of
from blobshuffle.tensors import common_tensor, is_tensor, with_shapes

_NOTHING = pa.schema([])


def field_of(schema: pa.Schema, name: str, verb: str) -> pa.Field:
    """Return a column's field. Raises `KeyError` if there is not exactly one of that name.

    `verb` says in the message what cannot be done: "join by", for example.
    """
    count = schema.names.count(name)
    if count != 1:
        reason = f"{count} columns have that name" if count else "there is none of that name"
        raise KeyError(f"Cannot {verb} column {name!r}: {reason}. The columns are {schema.names}.")
    return schema.field(name)


def unified(schemas: Iterable[tuple[str, pa.Schema]]) -> pa.Schema:
    """Return a schema to which the rows of all can be cast. Each comes with the name of its origin.

    Columns of type null take any type, numbers the wider one, dictionaries that of their values,
    and Ray's tensors that of several shapes. Schemas without columns are left out. Raises
    `SchemaMismatch`, which names the column.
    """
    found: list[pa.Field] | None = None
    metadata: dict[bytes, bytes] | None = None
    origin = ""
    for what, schema in schemas:
        if schema.equals(_NOTHING):
            continue
        if found is None:
            found, metadata, origin = list(schema), schema.metadata, what
            continue
        _require_names([field.name for field in found], schema.names, origin, what)
        found = [
            one if one.equals(other) else _field(one, other, origin, what)
            for one, other in zip(found, _in_order(found, schema), strict=True)
        ]
    return pa.schema(found or [], metadata)


def with_all_columns(schemas: Iterable[tuple[str, pa.Schema]]) -> list[tuple[str, pa.Schema]]:
    """Return schemas that have the columns of all: those that one lacks have the type null.

    Schemas without columns stay so. Raises `SchemaMismatch` if a name is twice in one of several
    schemas that differ.
    """
    named = list(schemas)
    names = list(dict.fromkeys(name for _, schema in named for name in schema.names))
    return [(what, _widened(schema, names, what)) for what, schema in named]


def _widened(schema: pa.Schema, names: list[str], what: str) -> pa.Schema:
    missing = sorted(set(names) - set(schema.names), key=names.index)
    if not missing or schema.equals(_NOTHING):
        return schema
    if len(set(schema.names)) < len(schema.names):
        raise SchemaMismatch(
            f"Cannot add columns {missing} to {what}: of its columns {schema.names} several have "
            "one name. Name each once."
        )
    return pa.schema([*schema, *(pa.field(name, pa.null()) for name in missing)], schema.metadata)


def with_types_of(schema: pa.Schema, others: Iterable[pa.Schema]) -> pa.Schema:
    """Return a schema whose columns of missing values alone have a type that others name.

    `others` are schemas without rows, so they do not widen the types of values. The first that
    fits counts.
    """
    fields = list(schema)
    for other in others:
        for at, field in enumerate(fields):
            if _has_null(field.type) and other.names.count(field.name) == 1:
                with contextlib.suppress(TypeError, pa.ArrowInvalid, pa.ArrowNotImplementedError):
                    known = common_type(field.type, other.field(field.name).type)
                    fields[at] = field.with_type(known)
    return pa.schema(fields, schema.metadata)


def _has_null(data_type: pa.DataType) -> bool:
    children = (data_type.field(at).type for at in range(data_type.num_fields))
    return pa.types.is_null(data_type) or any(map(_has_null, children))


def filled(batch: pa.RecordBatch, schema: pa.Schema, what: str) -> pa.RecordBatch:
    """Return a batch with another schema: columns that it lacks are null, others are `cast`."""
    if batch.schema.equals(schema):
        return batch
    wider = _widened(batch.schema, schema.names, what)
    missing = [pa.nulls(batch.num_rows) for _ in range(len(wider) - batch.num_columns)]
    return cast(pa.RecordBatch.from_arrays([*batch.columns, *missing], schema=wider), schema, what)


def _in_order(found: list[pa.Field], schema: pa.Schema) -> list[pa.Field]:
    if [field.name for field in found] == schema.names:
        return list(schema)
    return [schema.field(field.name) for field in found]


def _require_names(names: list[str], others: list[str], origin: str, what: str) -> None:
    if names == others:
        return
    if len(set(names)) == len(names) and sorted(names) == sorted(others):
        return
    odd = sorted(set(names) ^ set(others)) or others
    raise SchemaMismatch(
        f"Cannot shuffle {origin} with {what}: columns {odd} are not in both. Give all maps the "
        "same columns."
    )


def _field(one: pa.Field, other: pa.Field, origin: str, what: str) -> pa.Field:
    try:
        data_type = common_type(one.type, other.type)
    except (TypeError, pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise SchemaMismatch(
            f"Cannot shuffle {origin} with {what}: column {one.name!r} is {one.type} in one and "
            f"{other.type} in the other. Cast it to one type in all maps."
        ) from None
    return pa.field(one.name, data_type, one.nullable or other.nullable, one.metadata)


def common_type(one: Any, other: Any) -> Any:
    """Return the type that holds the values of two. Raises `TypeError` if there is none."""
    types = pa.types
    if one.equals(other) or types.is_null(other):
        return one
    if types.is_null(one):
        return other
    if types.is_dictionary(one) or types.is_dictionary(other):
        return _common_dictionary(one, other)
    if is_tensor(one) and is_tensor(other):
        return common_tensor(one, other)
    if types.is_struct(one) and types.is_struct(other):
        return _common_struct(one, other)
    if _is_list(one) and _is_list(other):
        return _common_list(one, other)
    if types.is_map(one) and types.is_map(other):
        return pa.map_(
            common_type(one.key_type, other.key_type), common_type(one.item_type, other.item_type)
        )
    if _family(one) is None or _family(one) != _family(other):
        raise TypeError(f"{one} and {other}")
    if types.is_uint64(one) and types.is_signed_integer(other):
        raise TypeError(f"{one} and {other}")
    if types.is_uint64(other) and types.is_signed_integer(one):
        raise TypeError(f"{one} and {other}")
    if types.is_integer(one) != types.is_integer(other) and not types.is_decimal(one):
        # A narrower float would round integers.
        return pa.float64() if not types.is_decimal(other) else _promoted(one, other)
    return _promoted(one, other)


def _promoted(one: Any, other: Any) -> Any:
    fields = [pa.schema([pa.field("x", data_type)]) for data_type in (one, other)]
    return pa.unify_schemas(fields, promote_options="permissive").field(0).type


def _family(data_type: Any) -> str | None:
    """Return which types have a common one with a type; None if none has."""
    kind = kind_of(data_type)
    if kind in ("null", "bool"):
        return None
    if kind == "timestamp":
        return f"timestamp {data_type.tz}"
    return "number" if kind in ("int", "float", "decimal") else kind


def _is_list(data_type: Any) -> bool:
    types = pa.types
    return types.is_list(data_type) or types.is_large_list(data_type)


def _common_dictionary(one: Any, other: Any) -> Any:
    types = pa.types
    if types.is_dictionary(one) and types.is_dictionary(other):
        if one.ordered != other.ordered:
            raise TypeError("one order")
        index = max(one.index_type, other.index_type, key=lambda each: each.bit_width)
        if types.is_signed_integer(one.index_type) != types.is_signed_integer(other.index_type):
            index = pa.int64()
        return pa.dictionary(index, common_type(one.value_type, other.value_type), one.ordered)
    plain = [each.value_type if types.is_dictionary(each) else each for each in (one, other)]
    return common_type(*plain)


def _common_struct(one: Any, other: Any) -> Any:
    names = [one.field(i).name for i in range(one.num_fields)]
    others = [other.field(i).name for i in range(other.num_fields)]
    if names != others:
        raise TypeError("other fields")
    fields = [
        one.field(i).with_type(common_type(one.field(i).type, other.field(i).type))
        for i in range(one.num_fields)
    ]
    return pa.struct(fields)


def _common_list(one: Any, other: Any) -> Any:
    value = one.value_field.with_type(common_type(one.value_type, other.value_type))
    is_large = pa.types.is_large_list(one) or pa.types.is_large_list(other)
    return pa.large_list(value) if is_large else pa.list_(value)


def cast(batch: pa.RecordBatch, schema: pa.Schema, what: str) -> pa.RecordBatch:
    """Return a batch with another schema of the same columns.

    Raises `SchemaMismatch`, which names the column, if a value does not fit.
    """
    if batch.schema.equals(schema):
        return batch
    _require_names(schema.names, batch.schema.names, "a schema", what)
    columns: list[Any] = []
    for number, field in enumerate(schema):
        same = batch.schema.names == schema.names
        column: Any = batch.column(number if same else field.name)
        try:
            columns.append(_cast(column, field.type))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as failure:
            raise SchemaMismatch(
                f"Cannot cast column {field.name!r} of {what} from {column.type} to {field.type}: "
                f"{failure} Cast it to one type in all maps."
            ) from None
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def fitted(batch: pa.RecordBatch, schema: pa.Schema, what: str) -> pa.RecordBatch:
    """Return a batch of rows with the schema of others, if both have a common one.

    No value changes its kind, as `cast` would make strings of numbers. Raises `SchemaMismatch`,
    which names the column.
    """
    if not batch.schema.equals(schema):
        unified([("earlier rows", schema), (what, batch.schema)])
    return cast(batch, schema, what)


def _cast(column: Any, data_type: Any) -> Any:
    if column.type.equals(data_type):
        return column
    if column.null_count == len(column):
        # Missing values alone have any type.
        return pa.nulls(len(column), data_type)
    if is_tensor(column.type) and is_tensor(data_type):
        return with_shapes(column, data_type)
    if pa.types.is_dictionary(column.type) and pa.types.is_dictionary(data_type):
        return pa.DictionaryArray.from_arrays(
            column.indices.cast(data_type.index_type),
            _cast(column.dictionary, data_type.value_type),
            ordered=data_type.ordered,
        )
    if pa.types.is_dictionary(column.type):
        return _cast(column.dictionary_decode(), data_type)
    return column.cast(data_type)
