r"""Measures one shuffle in a process of its own, and prints the numbers, one `name=value` a line.

    PYTHONPATH=.. python measure.py --system blobs --partitions 100 --codec lz4 \
        --data DIR --directory EMPTY --log FILE

CPU seconds are those of the program and all its descendants, between its start of the work and
its report. Memory is the sum of their proportional set sizes at its peak.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from processes import Watch, adopt_orphans, end_descendants
from protocol import VARIABLE

_ENVIRONMENT = {
    "DAFT_RUNNER": "ray",
    "DAFT_PROGRESS_BAR": "0",
    "DAFT_ANALYTICS_ENABLED": "0",
    "DO_NOT_TRACK": "1",
    "RAY_USAGE_STATS_ENABLED": "0",
    # pyarrow's allocator returns freed memory after 10 ms, and each page that it takes again costs
    # a fault: a quarter of the CPU time where faults are slow. The setting holds for all systems.
    "MIMALLOC_PURGE_DELAY": "-1",
    "RAY_DATA_DISABLE_PROGRESS_BARS": "1",
}

_LAST_WORDS = 10.0
"""How long a program that has failed may take to write why, seconds."""


class Failed(Exception):
    """The program ended, or did not end in time."""


def _line(reports: Any, limit: float) -> Any:
    ready, _, _ = select.select([reports], [], [], max(0.0, limit - time.monotonic()))
    if not ready:
        raise Failed("it took too long")
    text = reports.readline()
    if not text:
        raise Failed("it ended before it was done")
    return json.loads(text)


@contextlib.contextmanager
def _ended(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Let a program that fails write the reason to its log before it is ended."""
    try:
        yield
    except Failed:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_LAST_WORDS)
        raise


def run(options: argparse.Namespace, ray: str) -> dict[str, Any]:
    """Run the program; return its report and its use of resources.

    `ray` is a directory for Ray's own files. Its path must be short: it has sockets.
    """
    program = Path(__file__).with_name(f"{options.system}_shuffle.py")
    from_program, to_measure = os.pipe()
    from_measure, to_program = os.pipe()
    command = [
        sys.executable, str(program),
        "--data", str(options.data),
        "--partitions", str(options.partitions),
        "--codec", options.codec,
        "--directory", str(options.directory),
        "--nodes", str(options.nodes),
    ]  # fmt: skip
    environment = os.environ | _ENVIRONMENT | {VARIABLE: f"{from_measure},{to_measure}"}
    environment |= {"TMPDIR": str(options.directory), "RAY_TMPDIR": ray}
    log = options.log.open("wb")
    process = subprocess.Popen(
        command, env=environment, stdout=log, stderr=log, pass_fds=(from_measure, to_measure)
    )
    os.close(from_measure)
    os.close(to_measure)
    limit = time.monotonic() + options.limit
    watch = Watch(options.directory)
    watch.start()
    with (
        _ended(process),
        os.fdopen(from_program) as reports,
        os.fdopen(to_program, "w") as answers,
    ):
        _line(reports, limit)
        watch.forget_peaks()
        before, start = watch.look(), time.monotonic()
        print("go", file=answers, flush=True)
        reported = _line(reports, limit)
        wall, after = time.monotonic() - start, watch.look()
        watch.stop()
        print("end", file=answers, flush=True)
    used = {
        "wall_seconds": wall,
        "cpu_seconds": after.cpu - before.cpu,
        "peak_memory_bytes": watch.peak_memory,
        "peak_shared_memory_bytes": watch.peak_shared,
        "peak_disk_bytes": watch.peak_disk,
    }
    return used | reported


def wrong(found: dict[str, Any], options: argparse.Namespace) -> str | None:
    """Compare counts and sums with those of the rows; return the differences."""
    expected = json.loads((options.data / "expected.json").read_text())
    for name in ("count", "sum"):
        if found[name] != expected[name]:
            return f"{name} is {found[name]}, and that of the rows is {expected[name]}"
    if options.system == "blobs":
        expected = json.loads((options.data / f"expected-{options.partitions}.json").read_text())
        for name in ("counts", "sums"):
            if found[name] != expected[name]:
                return f"the {name} of the partitions differ from those of the rows"
    elif "counts" in found and len(found["counts"]) != options.partitions:
        return f"there are {len(found['counts'])} partitions"
    return None


def say(values: dict[str, Any]) -> None:
    """Print values as Java's properties."""
    for name, value in values.items():
        print(f"{name}={str(value).lower() if isinstance(value, bool) else value}", flush=True)


def main() -> None:
    """Measure, check, clean up."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--system", required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--partitions", type=int, required=True)
    parser.add_argument("--codec", required=True)
    parser.add_argument("--directory", type=Path, required=True)
    parser.add_argument("--nodes", type=int, default=1)
    parser.add_argument("--limit", type=float, default=900, help="seconds")
    parser.add_argument("--log", type=Path, required=True)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    adopt_orphans()
    ray = tempfile.mkdtemp(prefix="ray", dir="/tmp")
    try:
        found = run(options, ray)
        problem = wrong(found, options)
        checks_partitions = "counts" in found
        for name in ("counts", "sums"):
            found.pop(name, None)
        say(found | {"checks_partitions": checks_partitions, "problem": problem or ""})
    except Failed as failure:
        say({"problem": failure})
    finally:
        end_descendants()
        shutil.rmtree(ray, ignore_errors=True)


if __name__ == "__main__":
    main()
