r"""Runs jobs of Spark in one application, and prints the numbers of each, a line of JSON a job.

    PYTHONPATH=.. python measure.py --workloads repartition,join --rows 4000000 --maps 32 \
        --partitions 200 --repetitions 2 --directory EMPTY --conf spark.plugins=…

The application has two executors of one core, which are processes of their own. Each job runs once
before it is measured. CPU seconds are those of driver and executors, from the start of a job to
three seconds after its end, so that uploads in the background count. Wall time ends with the job.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from pathlib import Path
from typing import Any

from processes import Watch, adopt_orphans, end_descendants
from pyspark.sql import Observation, SparkSession
from pyspark.sql import functions as f
from workloads import WORKLOADS

_SETTLE = 3.0
"""How long uploads in the background may last, seconds."""

_SUM = "decimal(38,0)"


def session(options: argparse.Namespace) -> SparkSession:
    """Start the application."""
    settings = {
        "spark.master": "local-cluster[2,1,2048]",
        "spark.executor.memory": "1536m",
        "spark.driver.memory": "1g",
        "spark.local.dir": str(options.directory),
        # As on two machines. Otherwise an executor opens the files of the other one.
        "spark.shuffle.readHostLocalDisk": "false",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": str(options.partitions),
        "spark.sql.autoBroadcastJoinThreshold": "-1",
        "spark.log.level": "WARN",
    } | dict(setting.split("=", 1) for setting in options.conf)
    builder = SparkSession.builder.appName("bench")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def run(spark: SparkSession, name: str, options: argparse.Namespace) -> dict[str, Any]:
    """Run a job to its last row; return the number of rows and their sum."""
    ids = spark.range(0, options.rows, 1, options.maps)
    rows = WORKLOADS[name](ids, options.rows, options.partitions)
    seen = Observation()
    row_sum = f.sum(f.xxhash64(*rows.columns).cast(_SUM))
    rows.observe(seen, f.count(f.lit(1)).alias("count"), row_sum.alias("sum")).write.format(
        "noop"
    ).mode("overwrite").save()
    return {"count": seen.get["count"], "sum": str(seen.get["sum"])}


def shuffled(spark: SparkSession) -> int:
    """Return the bytes that executors have written into shuffles so far."""
    store = spark.sparkContext._jsc.sc().statusStore()
    executors = store.executorList(False)
    return sum(executors.apply(at).totalShuffleWrite() for at in range(executors.size()))


def forget(spark: SparkSession) -> None:
    """Let Spark's cleaner remove the shuffles of jobs that have ended."""
    spark.sparkContext._jvm.System.gc()
    time.sleep(_SETTLE)


def measured(spark: SparkSession, name: str, options: argparse.Namespace) -> dict[str, Any]:
    """Run a job between two looks at the processes."""
    watch = Watch(options.directory)
    watch.start()
    before, bytes_before, start = watch.look(), shuffled(spark), time.monotonic()
    found = run(spark, name, options)
    wall = time.monotonic() - start
    time.sleep(_SETTLE)
    after = watch.look()
    watch.stop()
    return found | {
        "workload": name,
        "wall_seconds": wall,
        "cpu_seconds": after.cpu - before.cpu,
        "peak_memory_bytes": watch.peak_memory,
        "peak_disk_bytes": watch.peak_disk,
        "shuffle_bytes": shuffled(spark) - bytes_before,
    }


def main() -> None:
    """Start the application, run the jobs, end it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workloads", required=True)
    parser.add_argument("--rows", type=int, required=True)
    parser.add_argument("--maps", type=int, required=True)
    parser.add_argument("--partitions", type=int, required=True)
    parser.add_argument("--repetitions", type=int, required=True)
    parser.add_argument("--limit", type=int, default=1800, help="seconds")
    parser.add_argument("--directory", type=Path, required=True)
    parser.add_argument("--conf", action="append", default=[])
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    signal.signal(
        signal.SIGALRM, lambda *_: sys.exit(f"It took more than {options.limit} seconds.")
    )
    signal.alarm(options.limit)
    adopt_orphans()
    try:
        spark = session(options)
        for name in options.workloads.split(","):
            run(spark, name, options)
            for _ in range(options.repetitions):
                forget(spark)
                print(json.dumps(measured(spark, name, options)), flush=True)
            forget(spark)
        spark.stop()
    finally:
        end_descendants()


if __name__ == "__main__":
    main()
