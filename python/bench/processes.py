"""The CPU time and memory of a tree of processes. Linux only: it reads /proc."""

from __future__ import annotations

import ctypes
import os
import signal
import threading
import time
from pathlib import Path
from typing import NamedTuple

_TICKS = os.sysconf("SC_CLK_TCK")
_PR_SET_CHILD_SUBREAPER = 36
_INTERVAL = 0.2


class Usage(NamedTuple):
    """Of all processes: CPU seconds so far, and bytes of memory now.

    `memory` counts a page that several processes map once; `shared` is the part of it that is
    shared memory, such as an object store.
    """

    cpu: float
    memory: int
    shared: int


def adopt_orphans() -> None:
    """Make this process the parent of descendants whose own parent ends."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _status(pid: int) -> tuple[int, int, float] | None:
    """Return parent, start time and CPU seconds; None if the process has ended."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The name, in parentheses, may contain spaces.
    fields = text.rpartition(")")[2].split()
    return int(fields[1]), int(fields[19]), (int(fields[11]) + int(fields[12])) / _TICKS


def descendants() -> dict[int, tuple[int, float]]:
    """Return start time and CPU seconds of all descendants, by process id."""
    table = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            status = _status(int(name))
            if status:
                table[int(name)] = status
    found: dict[int, tuple[int, float]] = {}
    parents = {os.getpid()}
    while parents:
        children = {pid for pid, (parent, _, _) in table.items() if parent in parents}
        parents = children - found.keys()
        found.update({pid: table[pid][1:] for pid in children})
    return found


def _memory(pid: int) -> tuple[int, int]:
    pss = shared = 0
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]:
            name, size = line.split()[:2]
            pss += int(size) << 10 if name == "Pss:" else 0
            shared += int(size) << 10 if name == "Pss_Shmem:" else 0
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        pass
    return pss, shared


def end_descendants() -> None:
    """Kill the remaining processes, and wait for their end."""
    while left := descendants():
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass
        time.sleep(0.02)


def size_of(directory: Path) -> int:
    """Return the bytes of the files below a directory, which may change meanwhile."""
    total = 0
    for parent, _, names in os.walk(directory):
        for name in names:
            try:
                total += os.lstat(os.path.join(parent, name)).st_blocks * 512
            except FileNotFoundError:
                continue
    return total


class Watch(threading.Thread):
    """Watches the descendants of this process, and a directory, until it is stopped.

    A process that has ended counts with the CPU time of the last look at it, at most 0.2 seconds
    before.
    """

    def __init__(self, directory: Path) -> None:
        super().__init__(daemon=True)
        self._directory = directory
        self._cpu: dict[tuple[int, int], float] = {}
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self.peak_memory = 0
        self.peak_shared = 0
        self.peak_disk = 0

    def run(self) -> None:
        """Look at regular intervals."""
        while not self._stopped.wait(_INTERVAL):
            self.look()

    def look(self) -> Usage:
        """Return the use until now."""
        with self._lock:
            memory = shared = 0
            for pid, (start, cpu) in descendants().items():
                self._cpu[pid, start] = cpu
                of_one = _memory(pid)
                memory, shared = memory + of_one[0], shared + of_one[1]
            self.peak_memory = max(self.peak_memory, memory)
            self.peak_shared = max(self.peak_shared, shared)
            self.peak_disk = max(self.peak_disk, size_of(self._directory))
            return Usage(sum(self._cpu.values()), memory, shared)

    def forget_peaks(self) -> None:
        """Begin to look for peaks."""
        self.peak_memory = self.peak_shared = self.peak_disk = 0

    def stop(self) -> None:
        """Look no more."""
        self._stopped.set()
        self.join()
