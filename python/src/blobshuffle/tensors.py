"""Ray's columns of tensors: those of one shape and those of several have a common type.

Ray chooses the type of a block by its tensors, so blocks of images differ where all images of a
block happen to have one size.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

_ONE_SHAPE = ("ray.data.arrow_tensor", "ray.data.arrow_tensor_v2")
_SHAPES = "ray.data.arrow_variable_shaped_tensor"


def is_tensor(data_type: Any) -> bool:
    """Return whether a type is one of Ray's tensors."""
    if not isinstance(data_type, pa.ExtensionType):
        return False
    return data_type.extension_name in (*_ONE_SHAPE, _SHAPES)


def common_tensor(one: Any, other: Any) -> Any:
    """Return the type of tensors of several shapes that holds those of two types.

    Raises `TypeError` if their numbers or dimensions differ.
    """
    kinds = _kind(one), _kind(other)
    if kinds[0] != kinds[1]:
        raise TypeError(f"{one} and {other}")
    if one.extension_name == _SHAPES:
        return one
    from ray.data.extensions import ArrowVariableShapedTensorType

    return ArrowVariableShapedTensorType(*kinds[0])


def _kind(data_type: Any) -> tuple[pa.DataType, int]:
    """Return the type of the numbers, and how many dimensions tensors have."""
    storage = data_type.storage_type
    if data_type.extension_name == _SHAPES:
        return storage.field("data").type.value_type, data_type.ndim
    return storage.value_type, len(data_type.shape)


def with_shapes(column: Any, data_type: Any) -> Any:
    """Return tensors of one shape as a column of tensors of several shapes."""
    fields = [data_type.storage_type.field(at) for at in range(data_type.storage_type.num_fields)]
    shape = pa.scalar(list(column.type.shape), data_type.storage_type.field("shape").type)
    by_name = {
        "data": column.storage.cast(data_type.storage_type.field("data").type),
        "shape": pa.repeat(shape, len(column)),
    }
    storage = pa.StructArray.from_arrays(
        [by_name[field.name] for field in fields], fields=fields, mask=column.storage.is_null()
    )
    return pa.ExtensionArray.from_storage(data_type, storage)
