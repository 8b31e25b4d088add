"""What the tasks of a shuffle do, in whichever process an engine runs them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from blobshuffle.arrow import Codec
from blobshuffle.reader import read
from blobshuffle.ref import Ref
from blobshuffle.store import Store, StoreLike, checked_name, open_store
from blobshuffle.writer import DEFAULT_MEMORY, ShuffleWriter

Rows = pa.Table | pa.RecordBatch | Iterable[pa.Table | pa.RecordBatch]
"""Arrow rows: a table, a batch, or what returns them one by one, as a `RecordBatchReader` does."""

Input = Rows | Callable[[], Rows]
"""The rows of a map, or a function that its worker calls for them."""

Reduce = Callable[[pa.RecordBatchReader, int], Any]
"""What to make of a partition: it gets its rows and its number, in a worker."""

MAX_ATTEMPTS = 3
"""How often a task is run that loses its worker."""

LEASE_SECONDS = 600.0
"""How long blobs outlive a driver that dies."""


@dataclass(frozen=True)
class Plan:
    """What all tasks of a shuffle agree on. Picklable."""

    store: Store
    shuffle: str
    maps: int
    partitions: int
    keys: tuple[str, ...]
    codec: Codec = "lz4"
    memory: int = DEFAULT_MEMORY


def plan(
    store: StoreLike,
    shuffle: str,
    maps: int,
    partitions: int,
    keys: str | Sequence[str],
    codec: Codec,
    memory: int,
) -> Plan:
    """Check arguments. Raises `ValueError` for illegal ones."""
    names = (keys,) if isinstance(keys, str) else tuple(keys)
    if not names or maps < 1 or partitions < 1:
        raise ValueError(
            f"Cannot shuffle {maps} inputs into {partitions} partitions by {list(names)}: there "
            "must be at least one of each."
        )
    return Plan(open_store(store), checked_name(shuffle), maps, partitions, names, codec, memory)


def write_map(plan: Plan, number: int, attempt: int, source: Input) -> Ref:
    """Write the rows of one map, and return its ref."""
    rows: Any = source() if callable(source) else source
    batches: Any = [rows] if isinstance(rows, (pa.Table, pa.RecordBatch)) else rows
    with ShuffleWriter(
        plan.store,
        shuffle=plan.shuffle,
        map=number,
        attempt=attempt,
        maps=plan.maps,
        partitions=plan.partitions,
        codec=plan.codec,
        memory=plan.memory,
        schema=getattr(rows, "schema", None),
    ) as writer:
        for batch in batches:
            writer.write(batch, keys=plan.keys)
        return writer.commit()


def reduce_range(plan: Plan, refs: list[Ref], numbers: range, reduce: Reduce | None) -> list[Any]:
    """Return what `reduce` makes of each partition of a range; without it, their tables."""
    results: list[Any] = []
    for number in numbers:
        with read(refs, number, store=plan.store) as reader:
            results.append(reader.read_all() if reduce is None else reduce(reader, number))
    return results


def ranges(partitions: int, size: int) -> list[range]:
    """Divide partitions into adjacent ranges of a size."""
    return [range(at, min(at + size, partitions)) for at in range(0, partitions, size)]


def range_size(partitions: int, workers: int, wanted: int | None) -> int:
    """Return how many partitions a task reduces: about four tasks for each worker.

    Raises `ValueError` if fewer than one is wanted.
    """
    if wanted is None:
        return max(1, partitions // (4 * workers))
    if wanted < 1:
        raise ValueError(f"Cannot reduce {wanted} partitions in a task: at least 1.")
    return wanted
