"""Runs code in a process that may hold only so much memory more than at its start."""

import os
import resource
import subprocess
import sys

START = """
import resource, sys
import pyarrow
assert pyarrow.default_memory_pool().backend_name == "system"
def limit(mebibytes):
    # Data only: a limit of the address space would count what pyarrow's threads only reserve.
    with open("/proc/self/status") as status:
        used = next(int(line.split()[1]) for line in status if line.startswith("VmData"))
    most = (used << 10) + (mebibytes << 20)
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
"""


def run(code, *arguments, **environment):
    """Run code that calls `limit(mebibytes)` when it has imported its modules."""
    return subprocess.run(
        [sys.executable, "-c", START + code, *map(str, arguments)],
        env=os.environ
        | {
            "ARROW_DEFAULT_MEMORY_POOL": "system",
            "MALLOC_ARENA_MAX": "2",
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }
        | environment,
        capture_output=True,
        text=True,
    )


def peak_mebibytes():
    """The highest resident size of the children so far, MiB."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
