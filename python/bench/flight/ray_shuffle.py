"""Ray Data's shuffle of its second version, through local files."""

from __future__ import annotations

from typing import Any

import protocol

CPUS = 2
KEY = "l_orderkey"
_OBJECT_STORE = 5 << 30


def start(task: protocol.Task) -> None:
    """Start Ray, and choose the shuffle."""
    import ray
    from ray.data.context import DataContext, ShuffleStrategy

    ray.init(
        num_cpus=CPUS,
        include_dashboard=False,
        object_store_memory=_OBJECT_STORE,
    )
    context = DataContext.get_current()
    context.shuffle_strategy = ShuffleStrategy.SHUFFLE_V2
    context.use_disk_based_hash_shuffle = True
    context.shuffle_compression = None if task.codec == "none" else task.codec
    rows = ray.data.from_items([{"x": number} for number in range(10)])
    rows.repartition(2, keys=["x"]).count()


def count(batch: Any) -> Any:
    """Count the rows of a batch, every column, and add up the keys."""
    import pyarrow as pa

    for column in batch.columns:
        if column.null_count:
            raise AssertionError(f"{column.null_count} values are missing")
    total = sum(int(chunk.to_numpy().sum()) for chunk in batch[KEY].chunks)
    return pa.table({"n": [batch.num_rows], "total": [total]})


def shuffle(task: protocol.Task) -> dict[str, Any]:
    """Repartition, then count."""
    import ray

    found = (
        ray.data.read_parquet(task.data)
        .repartition(task.partitions, keys=[KEY])
        .map_batches(count, batch_format="pyarrow", batch_size=None)
        .sum(["n", "total"])
    )
    return {"count": int(found["sum(n)"]), "sum": int(found["sum(total)"])}


def main() -> None:
    """Start Ray, then work."""
    task = protocol.task()
    start(task)
    protocol.measured(lambda: shuffle(task))


if __name__ == "__main__":
    main()
