"""Columns as they are gathered: without views and runs, and with the dictionary values they use.

A view refers to buffers of all rows, a run to its neighbours and an index to a whole dictionary,
so a part of such a column would carry the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

# Its functions are made at run time, so type checkers do not know them.
_compute: Any = pc

PYARROW = int(pa.__version__.split(".")[0])
"""The major version of the installed pyarrow."""


def gathered_field(field: pa.Field) -> pa.Field:
    """Return the field that stands for another while rows are gathered.

    Raises `TypeError`, which names the column, for a type that has no equal of that kind.
    """
    try:
        return field.with_type(_gathered(field.type))
    except TypeError as failure:
        raise TypeError(
            f"Cannot shuffle column {field.name!r} of type {field.type}: {failure}"
        ) from None


def _gathered(data_type: pa.DataType) -> pa.DataType:
    types = pa.types
    if isinstance(data_type, pa.BaseExtensionType):
        storage = _gathered(data_type.storage_type)
        return data_type if storage.equals(data_type.storage_type) else storage
    if types.is_string_view(data_type):
        return pa.string()
    if types.is_binary_view(data_type):
        return pa.binary()
    if types.is_run_end_encoded(data_type):
        _require_runs(data_type)
        return _gathered(data_type.value_type)
    if types.is_dictionary(data_type):
        if has_dictionaries(data_type.value_type):
            raise TypeError(
                "Arrow cannot read a dictionary of dictionaries again. Cast its values to a type "
                "without dictionaries first."
            )
        return pa.dictionary(
            data_type.index_type, _gathered(data_type.value_type), data_type.ordered
        )
    if not any(_is_indirect(child.type) for child in _children(data_type)):
        if types.is_list_view(data_type):
            return pa.list_(data_type.value_field)
        if types.is_large_list_view(data_type):
            return pa.large_list(data_type.value_field)
        return data_type
    return _with_children(
        data_type, [child.with_type(_gathered(child.type)) for child in _children(data_type)]
    )


def _with_children(data_type: pa.DataType, children: Sequence[pa.Field]) -> pa.DataType:
    """Return a nested type with other children; list views become lists."""
    types = pa.types
    if types.is_struct(data_type):
        return pa.struct(children)
    if types.is_list(data_type) or types.is_list_view(data_type):
        return pa.list_(children[0])
    if types.is_large_list(data_type) or types.is_large_list_view(data_type):
        return pa.large_list(children[0])
    if types.is_fixed_size_list(data_type):
        return pa.list_(children[0], data_type.list_size)
    if types.is_map(data_type):
        entries = children[0].type
        return pa.map_(entries.field(0), entries.field(1), data_type.keys_sorted)
    if types.is_union(data_type):
        return pa.union(children, data_type.mode, data_type.type_codes)
    raise TypeError("it contains views or runs. Cast the column to a type without them first.")


def _require_runs(data_type: Any) -> None:
    """Raise `TypeError` for run-end encoded values that Arrow cannot decode and encode again."""
    try:
        empty = _compute.run_end_encode(
            pa.array([], data_type.value_type), run_end_type=data_type.run_end_type
        )
        _compute.run_end_decode(empty)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        raise TypeError(
            f"Arrow cannot decode runs of {data_type.value_type}. Cast the column to a type "
            "without runs first."
        ) from None


def has_dictionaries(data_type: pa.DataType) -> bool:
    """Return whether a type is a dictionary or contains one."""
    if isinstance(data_type, pa.BaseExtensionType):
        return has_dictionaries(data_type.storage_type)
    if pa.types.is_dictionary(data_type):
        return True
    if pa.types.is_run_end_encoded(data_type):
        return has_dictionaries(data_type.value_type)
    return any(has_dictionaries(child.type) for child in _children(data_type))


def is_decodable(data_type: Any) -> bool:
    """Return whether a type is a dictionary that Arrow can encode again from plain values."""
    if not pa.types.is_dictionary(data_type) or data_type.ordered:
        return False
    value_type = data_type.value_type
    return not isinstance(value_type, pa.BaseExtensionType) and not pa.types.is_nested(value_type)


def _children(data_type: pa.DataType) -> list[pa.Field]:
    if isinstance(data_type, pa.BaseExtensionType):
        return [pa.field("storage", data_type.storage_type)]
    if pa.types.is_dictionary(data_type):
        return [pa.field("values", data_type.value_type)]
    return [data_type.field(i) for i in range(data_type.num_fields)]


def size_of(data: Any) -> int:
    """Return the bytes of an array or batch: of its rows, or of whole buffers.

    `nbytes` of some releases of pyarrow, such as 22, raises for views of strings.
    """
    try:
        return data.nbytes
    except pa.ArrowTypeError:
        return data.get_total_buffer_size()


def has_views(data_type: pa.DataType) -> bool:
    """Whether a type is or contains a view of strings or bytes."""
    is_view = pa.types.is_string_view(data_type) or pa.types.is_binary_view(data_type)
    return is_view or any(has_views(child.type) for child in _children(data_type))


def _is_indirect(data_type: pa.DataType) -> bool:
    types = pa.types
    views = (
        types.is_string_view(data_type)
        or types.is_binary_view(data_type)
        or types.is_list_view(data_type)
        or types.is_large_list_view(data_type)
    )
    nested = types.is_dictionary(data_type) and has_dictionaries(data_type.value_type)
    runs = types.is_run_end_encoded(data_type)
    return views or runs or nested or any(_is_indirect(c.type) for c in _children(data_type))


def gathered(column: Any, data_type: pa.DataType) -> Any:
    """Return a column in the type that stands for its own."""
    return _converted(column, data_type)


def restored(column: Any, data_type: pa.DataType) -> Any:
    """Return a gathered column in the type that it had."""
    if column.type.equals(data_type):
        return column
    # Views made from a slice would carry the whole: concatenating copies only the slice.
    return _converted(pa.concat_arrays([column.slice(0, 0), column]), data_type)


def _converted(column: Any, target: Any) -> Any:
    source = column.type
    if source.equals(target):
        return column
    if isinstance(target, pa.BaseExtensionType):
        storage = _converted(column, target.storage_type)
        return pa.ExtensionArray.from_storage(target, storage)
    if isinstance(column, pa.ExtensionArray):
        return _converted(column.storage, target)
    if pa.types.is_run_end_encoded(source):
        return _converted(_compute.run_end_decode(column), target)
    if pa.types.is_run_end_encoded(target):
        values = _converted(column, target.value_type)
        return _compute.run_end_encode(values, run_end_type=target.run_end_type)
    if pa.types.is_dictionary(target) and not pa.types.is_dictionary(source):
        encoded = column.dictionary_encode()
        return pa.DictionaryArray.from_arrays(
            encoded.indices.cast(target.index_type),
            _converted(encoded.dictionary, target.value_type),
        )
    if pa.types.is_dictionary(target):
        return pa.DictionaryArray.from_arrays(
            column.indices,
            _converted(column.dictionary, target.value_type),
            ordered=target.ordered,
        )
    if pa.types.is_dictionary(source):
        # Casting would look at every value, also at those that no row uses.
        return _converted(column.dictionary.take(column.indices), target)
    if pa.types.is_nested(target):
        return _rebuilt(column, target, _converted)
    return column.cast(target)


def _rebuilt(column: Any, target: Any, child: Callable[[Any, Any], Any]) -> Any:
    """Return a nested column of a type, whose children a function makes from those it has."""
    types = pa.types
    if types.is_struct(target):
        parts = [child(column.field(i), target.field(i).type) for i in range(target.num_fields)]
        if not parts:
            return column
        return pa.StructArray.from_arrays(parts, fields=list(target), mask=_mask(column))
    if types.is_map(target):
        start, offsets = _offsets(column)
        keys = column.keys.slice(start, offsets[-1].as_py())
        items = column.items.slice(start, offsets[-1].as_py())
        return pa.MapArray.from_arrays(
            offsets,
            child(keys, target.key_type),
            child(items, target.item_type),
            target,
            mask=_mask(column),
        )
    if types.is_fixed_size_list(target):
        size = target.list_size
        values = column.values.slice(column.offset * size, len(column) * size)
        if not size:
            return column
        return pa.FixedSizeListArray.from_arrays(
            child(values, target.value_type), type=target, mask=_mask(column)
        )
    if types.is_union(target):
        return _rebuilt_union(column, target, child)
    return _rebuilt_list(column, target, child)


def _rebuilt_list(column: Any, target: Any, child: Callable[[Any, Any], Any]) -> Any:
    types = pa.types
    is_view = types.is_list_view(column.type) or types.is_large_list_view(column.type)
    if is_view:
        # Views may overlap and be out of order: flattening puts their values one after the other.
        lengths = _compute.fill_null(_compute.list_value_length(column), 0)
        ends = np.cumsum(lengths.to_numpy(zero_copy_only=False), dtype=np.int64)
        is_large = types.is_large_list(target) or types.is_large_list_view(target)
        index = pa.int64() if is_large else pa.int32()
        offsets: Any = pa.array(np.concatenate([np.zeros(1, np.int64), ends])).cast(index)
        values = column.flatten()
    else:
        start, offsets = _offsets(column)
        values = column.values.slice(start, offsets[-1].as_py())
    values = child(values, target.value_type)
    if types.is_list(target):
        return pa.ListArray.from_arrays(offsets, values, type=target, mask=_mask(column))
    if types.is_large_list(target):
        return pa.LargeListArray.from_arrays(offsets, values, type=target, mask=_mask(column))
    sizes = _compute.subtract(offsets[1:], offsets[:-1])
    kind: Any = pa.ListViewArray if types.is_list_view(target) else pa.LargeListViewArray
    return kind.from_arrays(offsets[:-1], sizes, values, type=target, mask=_mask(column))


def _rebuilt_union(column: Any, target: Any, child: Callable[[Any, Any], Any]) -> Any:
    if column.offset:
        # The codes and offsets of a slice are those of the whole: a copy has its own.
        column = pa.concat_arrays([column.slice(0, 0), column])
    parts = [child(column.field(i), target.field(i).type) for i in range(target.num_fields)]
    names = [target.field(i).name for i in range(target.num_fields)]
    if target.mode == "sparse":
        return pa.UnionArray.from_sparse(column.type_codes, parts, names, target.type_codes)
    return pa.UnionArray.from_dense(
        column.type_codes, column.offsets, parts, names, target.type_codes
    )


def _offsets(column: Any) -> tuple[int, Any]:
    """Return the first value of a list or map column, and its offsets from there."""
    offsets = column.offsets
    start = offsets[0].as_py() if len(offsets) else 0
    return start, _compute.subtract(offsets, pa.scalar(start, offsets.type))


def _mask(column: Any) -> Any:
    return column.is_null() if column.null_count else None


def dictionaries(column: Any) -> Iterator[Any]:
    """Return the dictionaries of a column, also those inside nested types."""
    if isinstance(column, pa.ExtensionArray):
        column = column.storage
    data_type = column.type
    if not has_dictionaries(data_type):
        return
    if pa.types.is_dictionary(data_type):
        yield column.dictionary
        return
    for part in _parts(column):
        yield from dictionaries(part)


def _parts(column: Any) -> list[Any]:
    """Return the children of a nested column, whole or of its rows."""
    if pa.types.is_struct(column.type) or pa.types.is_union(column.type):
        return [column.field(i) for i in range(column.type.num_fields)]
    if pa.types.is_map(column.type):
        return [column.keys, column.items]
    return [column.values]


def compacted(column: Any) -> Any:
    """Return a column whose dictionaries have no value that it does not use, if that pays.

    Ordered dictionaries stay whole, because parts of an order cannot be joined.
    """
    data_type = column.type
    if not has_dictionaries(data_type):
        return column
    if isinstance(column, pa.ExtensionArray):
        return pa.ExtensionArray.from_storage(data_type, compacted(column.storage))
    if pa.types.is_dictionary(data_type):
        return column if data_type.ordered else _compacted(column)
    return _rebuilt(column, data_type, _compacted_child)


def _compacted_child(column: Any, data_type: Any) -> Any:
    return compacted(column)


def _compacted(column: Any) -> Any:
    values = len(column.dictionary)
    if values <= len(column):
        return column
    indices = column.indices
    numbers = indices.drop_null() if indices.null_count else indices
    used, places = np.unique(numbers.to_numpy(zero_copy_only=False), return_inverse=True)
    dictionary = column.dictionary.take(pa.array(used))
    places = places.astype(indices.type.to_pandas_dtype())
    if not indices.null_count:
        return pa.DictionaryArray.from_arrays(pa.array(places, indices.type), dictionary)
    all_places = np.zeros(len(indices), places.dtype)
    is_null = indices.is_null().to_numpy(zero_copy_only=False)
    all_places[~is_null] = places
    return pa.DictionaryArray.from_arrays(
        pa.array(all_places, indices.type, mask=is_null), dictionary
    )


class Weights:
    """The bytes of gathered batches, with each dictionary once. Owned by one thread."""

    def __init__(self, schema: pa.Schema) -> None:
        self._with_dictionaries = [
            number for number, field in enumerate(schema) if has_dictionaries(field.type)
        ]
        self._seen: set[tuple[int, ...]] = set()

    def of(self, batch: pa.RecordBatch) -> tuple[int, int]:
        """Return the bytes of a batch's rows, and of those dictionaries that are new."""
        rows = size_of(batch)
        added = 0
        for number in self._with_dictionaries:
            for dictionary in dictionaries(batch.column(number)):
                size = size_of(dictionary)
                rows -= size
                identity = _identity(dictionary)
                if identity not in self._seen:
                    self._seen.add(identity)
                    added += size
        return max(0, rows), added

    def clear(self) -> None:
        """Forget the dictionaries, which are no longer in memory."""
        self._seen.clear()

    def row_bytes(self, batch: pa.RecordBatch, small: int) -> float:
        """Return the bytes that a row adds to a frame that carries its dictionary values.

        Dictionaries of at most `small` bytes count nothing, nor do those of four times that whose
        values repeat.
        """
        size = float(size_of(batch))
        for number in self._with_dictionaries:
            for dictionary in dictionaries(batch.column(number)):
                size -= size_of(dictionary)
                repeats = batch.num_rows >= 4 * len(dictionary)
                if size_of(dictionary) > (4 * small if repeats else small):
                    size += batch.num_rows * size_of(dictionary) / max(1, len(dictionary))
        return max(0.0, size) / max(1, batch.num_rows)


def _identity(dictionary: Any) -> tuple[int, ...]:
    buffers = [buffer.address for buffer in dictionary.buffers() if buffer is not None]
    return (dictionary.offset, len(dictionary), *buffers)
