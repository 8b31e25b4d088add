"""Several directories as one store: each blob goes to one that has room."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from blobshuffle.container import Source
from blobshuffle.failure import BlobMissing, StoreUnavailable
from blobshuffle.store import SHUFFLES, Entry, LocalStore, Store, Upload, missing, require_name

REST_SECONDS = 60.0
"""How long a directory that has failed takes no blob."""

RECOUNT_SECONDS = 10.0
"""How long a process trusts its count of the bytes in a directory with a quota."""


class _Health:
    """The state of a directory, as this process knows it. Guarded by `_lock`."""

    def __init__(self) -> None:
        self.rests_until = float("-inf")
        self.reason = ""
        self.counted_at = float("-inf")
        self.used = 0


# For the process, not the store: engines unpickle a store for each task.
_health: dict[str, _Health] = {}
_lock = threading.Lock()


def _health_of(directory: str) -> _Health:
    with _lock:
        return _health.setdefault(directory, _Health())


class Directories(Store):
    """Directories of one or several disks, which all processes reach by the same paths.

    A blob is in one of them, chosen by chance in proportion to the free space, and its `Ref` names
    that one. A directory that is full or fails takes no blob for `REST_SECONDS`, and the writer
    begins its blob again in another. `quota` is how many bytes blobs may take in each directory,
    in all processes: a process counts them every `RECOUNT_SECONDS`, so several that write at once
    may exceed it by their writes in that time. Spilled rows do not count.
    """

    def __init__(
        self,
        directories: Iterable[str | os.PathLike[str]],
        *,
        quota: int | None = None,
        chance: Callable[[], float] = random.random,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Name the directories. `chance` returns 0 to 1, `clock` seconds.

        Raises `ValueError` if there is none, one twice, or the quota is not positive.
        """
        named = list(directories)
        for each in named:
            require_name(each)
        paths = [str(Path(directory).absolute()) for directory in named]
        if not paths or len(set(paths)) < len(paths):
            raise ValueError(
                f"Cannot open directories {paths}: there must be at least one, and none twice."
            )
        if quota is not None and quota < 1:
            raise ValueError(f"Cannot open directories with a quota of {quota} bytes: at least 1.")
        self._stores = {path: LocalStore(path) for path in paths}
        self._quota = quota
        self._chance = chance
        self._clock = clock

    @property
    def location(self) -> None:
        """None: each ref names the directory of its blob."""
        return None

    @property
    def spill_directories(self) -> Sequence[str]:
        """The directories with room, in the order in which to try them."""
        found: list[str] = []
        for path in self._candidates():
            try:
                found.append(self._stores[path].spill_directory)
            except StoreUnavailable as failure:
                self.leave(path, str(failure))
        return found

    @property
    def attempts(self) -> int:
        """How many directories there are."""
        return len(self._stores)

    def leave(self, directory: str, reason: str) -> None:
        """Let a directory, or the one that a path is in, take no blob for `REST_SECONDS`."""
        for path in self._stores:
            if Path(directory).is_relative_to(path):
                health = _health_of(path)
                health.reason = reason
                health.rests_until = self._clock() + REST_SECONDS

    def create(self, path: str) -> Upload:
        """Begin a blob in a directory that has room.

        Raises `StoreUnavailable`, naming each directory and its failure, if none takes it.
        """
        failures: list[str] = []
        cause: StoreUnavailable | None = None
        for directory in self._candidates():
            try:
                return _Placed(self, directory, self._stores[directory].create(path))
            except StoreUnavailable as failure:
                self.leave(directory, str(failure))
                cause = failure
                failures.append(str(failure))
        reasons = failures or [
            f"{directory}: {_health_of(directory).reason or 'its quota is used'}"
            for directory in self._stores
        ]
        raise StoreUnavailable(
            f"Cannot write blob {path}: no directory takes it. {' '.join(reasons)} Release "
            "shuffles or add a directory."
        ) from cause

    def open(self, path: str) -> Source:
        """Open a blob, in whichever directory it is."""
        failed: StoreUnavailable | None = None
        for store in self._stores.values():
            try:
                return store.open(path)
            except BlobMissing:
                continue
            except StoreUnavailable as failure:
                failed = failure
        if failed:
            raise failed
        raise missing(f"{path} in {', '.join(self._stores)}")

    def at(self, location: str | None) -> Store:
        """Return the store of one directory, or of all if it is none of them."""
        return self if location is None else self._stores.get(location, self)

    def list(self, prefix: str) -> Iterator[Entry]:
        """Return the entries of all directories."""
        for store in self._stores.values():
            yield from store.list(prefix)

    def delete(self, path: str) -> None:
        """Delete in all directories, also if one of them fails."""
        failed: StoreUnavailable | None = None
        for directory, store in self._stores.items():
            _health_of(directory).counted_at = float("-inf")
            try:
                store.delete(path)
            except StoreUnavailable as failure:
                failed = failure
        if failed:
            raise failed

    def _candidates(self) -> list[str]:
        """Return the directories to try: a weighted shuffle of those with room."""
        now = self._clock()
        rooms = {path: self.room(path) for path in self._stores}
        fit = [path for path, room in rooms.items() if room > 0]
        awake = [path for path in fit if _health_of(path).rests_until <= now]
        resting = sorted(
            (path for path in fit if path not in awake),
            key=lambda path: _health_of(path).rests_until,
        )
        ordered: list[str] = []
        while awake:
            chosen = self._draw(awake, rooms)
            awake.remove(chosen)
            ordered.append(chosen)
        # Those that failed are better than none.
        return ordered + resting

    def _draw(self, directories: Sequence[str], rooms: dict[str, int]) -> str:
        mark = self._chance() * sum(rooms[directory] for directory in directories)
        for directory in directories:
            mark -= rooms[directory]
            if mark < 0:
                return directory
        return directories[-1]

    def room(self, directory: str) -> int:
        """Return the bytes that a directory may still take: its free space within the quota."""
        existing = Path(directory)
        while not existing.exists() and existing != existing.parent:
            existing = existing.parent
        try:
            free = shutil.disk_usage(existing).free
        except OSError as failure:
            self.leave(directory, str(failure))
            return 0
        return free if self._quota is None else max(0, min(free, self.quota_left(directory)))

    def quota_left(self, directory: str) -> int:
        """Return the bytes until the quota, which must be set."""
        assert self._quota is not None
        health = _health_of(directory)
        now = self._clock()
        if health.counted_at + RECOUNT_SECONDS <= now:
            health.used = sum(entry.size for entry in self._stores[directory].list(SHUFFLES))
            health.counted_at = now
        return self._quota - health.used

    def take(self, directory: str, size: int) -> None:
        """Count bytes that were written. Raises `StoreUnavailable` beyond the quota."""
        if self._quota is None:
            return
        health = _health_of(directory)
        with _lock:
            health.used += size
        if health.used > self._quota:
            raise StoreUnavailable(
                f"Cannot write a blob in {directory}: its quota of {self._quota} bytes is used. "
                "Release shuffles, or raise the quota."
            )

    def __getstate__(self) -> dict[str, object]:
        # Tests replace the clock and chance; a process that unpickles has its own.
        return {"directories": list(self._stores), "quota": self._quota}

    def __setstate__(self, state: dict[str, object]) -> None:
        directories: Any = state["directories"]
        quota: Any = state["quota"]
        self.__init__(directories, quota=quota)


class _Placed(Upload):
    """A blob in one of the directories, which leaves the set when it fails."""

    def __init__(self, directories: Directories, directory: str, upload: Upload) -> None:
        self._directories = directories
        self._directory = directory
        self._upload = upload
        self._written = 0

    @property
    def location(self) -> str:
        return self._directory

    def write(self, data: bytes | pa.Buffer) -> None:
        size = len(memoryview(data))
        with self._leaving():
            self._written += size
            self._directories.take(self._directory, size)
            self._upload.write(data)

    def commit(self) -> None:
        with self._leaving():
            self._upload.commit()

    def abort(self) -> None:
        self._upload.abort()
        with contextlib.suppress(StoreUnavailable):
            self._directories.take(self._directory, -self._written)
        self._written = 0

    @contextlib.contextmanager
    def _leaving(self) -> Iterator[None]:
        try:
            yield
        except StoreUnavailable as failure:
            self._directories.leave(self._directory, str(failure))
            raise
