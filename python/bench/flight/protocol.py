"""How a program that shuffles and the one that measures it talk: a line each way."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

VARIABLE = "BLOBSHUFFLE_BENCH_PIPES"
"""The environment variable with the descriptors to read from and to write to."""


class Task(NamedTuple):
    """One run: the files with the rows, and the work on them."""

    data: list[str]
    partitions: int
    codec: str
    directory: str
    nodes: int


def task() -> Task:
    """Read the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--partitions", type=int, required=True)
    parser.add_argument("--codec", required=True)
    parser.add_argument("--directory", required=True)
    parser.add_argument("--nodes", type=int, default=1)
    options = parser.parse_args()
    files = sorted(str(path) for path in options.data.glob("*.parquet"))
    return Task(files, options.partitions, options.codec, options.directory, options.nodes)


def measured(work: Callable[[], dict[str, Any]]) -> None:
    """Do the measured work, and report its result.

    `count` and `sum` are the rows after the shuffle and the sum of their keys; `counts` and `sums`
    those of each partition, if the system distinguishes its partitions.
    """
    reading, writing = map(int, os.environ.pop(VARIABLE).split(","))
    with os.fdopen(reading) as answers, os.fdopen(writing, "w") as reports:

        def say(message: Any) -> None:
            print(json.dumps(message), file=reports, flush=True)
            # The process must live until the reader has measured it.
            answers.readline()

        say("start")
        say(work())
