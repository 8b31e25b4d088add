"""Daft's flight shuffle on Ray: on one node, or on two with a core each, which then use gRPC."""

from __future__ import annotations

from typing import Any

import protocol

CPUS = 2
KEY = "l_orderkey"
_OBJECT_STORE = 5 << 30


def start(task: protocol.Task) -> None:
    """Start Ray, and let Daft use it."""
    import daft
    import ray

    if task.nodes == 1:
        ray.init(
            num_cpus=CPUS,
            include_dashboard=False,
            object_store_memory=_OBJECT_STORE,
        )
    else:
        from ray.cluster_utils import Cluster

        cluster = Cluster(
            initialize_head=True,
            head_node_args={
                "num_cpus": CPUS // task.nodes,
                "object_store_memory": _OBJECT_STORE // task.nodes,
                "include_dashboard": False,
            },
        )
        for _ in range(task.nodes - 1):
            cluster.add_node(
                num_cpus=CPUS // task.nodes, object_store_memory=_OBJECT_STORE // task.nodes
            )
        ray.init(address=cluster.address)
    daft.set_runner_ray(noop_if_initialized=True)
    daft.context.set_execution_config(
        shuffle_algorithm="flight_shuffle",
        flight_shuffle_dirs=[task.directory],
        flight_shuffle_compression=task.codec,
    )
    daft.from_pydict({"x": [1, 2, 3]}).repartition(2, "x").agg(daft.col("x").sum()).collect()


def shuffle(task: protocol.Task) -> dict[str, Any]:
    """Repartition, then count every column and add up the keys."""
    import daft

    rows = daft.read_parquet(task.data)
    counts = [daft.col(name).count().alias(name) for name in rows.column_names]
    found = (
        rows.repartition(task.partitions, KEY)
        .agg(*counts, daft.col(KEY).sum().alias("total"))
        .to_pydict()
    )
    total = found.pop("total")[0]
    columns = {values[0] for values in found.values()}
    if len(columns) != 1:
        raise AssertionError(f"columns have {columns} values")
    return {"count": columns.pop(), "sum": int(total)}


def main() -> None:
    """Start Ray, then work."""
    task = protocol.task()
    start(task)
    protocol.measured(lambda: shuffle(task))


if __name__ == "__main__":
    main()
