"""Counts, means and squared distances from them, of which variances are made."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from blobshuffle.rows import numbers_of


def merged_moments(groups: Any, counts: Any, means: Any, squares: Any) -> tuple[Any, Any]:
    """Return the mean of each group of parts, and the squared distances of its values from it.

    `groups` has a list of the numbers of its parts for each group. `counts`, `means` and `squares`
    are those of the parts.
    """
    sizes = numbers_of(groups.value_lengths())
    group = np.repeat(np.arange(len(sizes)), sizes)
    parts = numbers_of(groups.flatten())
    count, mean = counts[parts], means[parts]

    def summed(weights: Any) -> Any:
        return np.bincount(group, weights=weights, minlength=len(sizes))

    # Infinite values have no variance.
    with np.errstate(invalid="ignore"):
        whole = summed(count * mean) / np.maximum(summed(count), 1)
        between = summed(count * (mean - whole[group]) ** 2)
    return whole, summed(squares[parts]) + between


def spread(count: Any, squares: Any, less: int, is_root: bool) -> Any:
    """Return squared distances divided by the count less a number, null if no value is left."""
    values = numbers_of(count) - less
    with np.errstate(invalid="ignore"):
        found = numbers_of(squares) / np.maximum(values, 1)
        return pa.array(np.sqrt(found) if is_root else found, pa.float64(), mask=values <= 0)


__all__ = ["merged_moments", "spread"]
