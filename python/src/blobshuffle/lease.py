"""Leases: the blobs of a driver that has died are deleted when it no longer renews its lease.

A lease is a small blob `leases/<shuffle>` that says for how many seconds it holds. The driver
writes it again every third of that time. Its age is the difference of two times of the store's
clock: when the lease was written, and when the sweeper wrote a mark of its own. So the clocks of
driver and sweeper do not matter.

The driver gives up a lease that it could not renew in time, and never writes one that is gone. A
sweeper waits half the time longer, so a request of the driver that is on its way does not meet it.
If both fail, no row is wrong: readers of a deleted blob raise `BlobMissing`.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

from blobshuffle.failure import BlobMissing, StoreUnavailable
from blobshuffle.store import TEMPORARY, Store, checked_name

LEASES = "leases"
"""The directory below the store that has a blob for each lease."""

MIN_SECONDS = 1.0

_MARK = ".now-"
_MARK_SECONDS = 3600.0
_MAX_LENGTH = 1024


def path_of(shuffle: str) -> str:
    """Return where a shuffle's lease is, below the store."""
    return f"{LEASES}/{checked_name(shuffle)}"


class Lease:
    """A shuffle's lease, renewed by a thread of its own until it is closed. Thread-safe."""

    def __init__(
        self,
        store: Store,
        shuffle: str,
        seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Write the lease. Raises `StoreUnavailable` if the store does not take it."""
        if not seconds >= MIN_SECONDS:
            raise ValueError(f"Cannot lease for {seconds} seconds: at least {MIN_SECONDS}.")
        self._store = store
        self._path = path_of(shuffle)
        self._seconds = seconds
        self._clock = clock
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None
        self._renewed = clock()
        self._write()

    def start(self) -> Lease:
        """Renew from now on."""
        self._thread = threading.Thread(target=self._run, name="blobshuffle-lease", daemon=True)
        self._thread.start()
        return self

    def renew(self) -> bool:
        """Write the lease again; return False if it is lost, and do nothing then.

        Raises `StoreUnavailable` if the store refuses: try again before its time is up.
        """
        began = self._clock()
        if began - self._renewed > self._seconds:
            return False
        try:
            self._store.open(self._path).close()
        except BlobMissing:
            return False
        self._write()
        self._renewed = began
        return True

    def close(self) -> None:
        """Renew no more. The lease stays until the shuffle is released. Idempotent."""
        self._closed.set()
        if self._thread:
            self._thread.join()

    def _run(self) -> None:
        while not self._closed.wait(self._seconds / 3):
            # A refusal may pass: the next try comes before the time is up.
            with contextlib.suppress(StoreUnavailable):
                if not self.renew():
                    return

    def _write(self) -> None:
        write_small(self._store, self._path, json.dumps({"seconds": self._seconds}).encode())


def write_small(store: Store, path: str, data: bytes) -> None:
    """Write a blob at once."""
    upload = store.create(path)
    try:
        upload.write(data)
        upload.commit()
    except BaseException:
        upload.abort()
        raise


class _Held(NamedTuple):
    path: str
    modified: float


def leased(store: Store) -> set[str]:
    """Return the shuffles that have a lease, whether or not it has expired."""
    return set(_leases(store)[0])


def expired(store: Store) -> list[str]:
    """Return the shuffles whose lease has expired, by the store's clock."""
    mark = f"{LEASES}/{_MARK}{secrets.token_hex(8)}"
    write_small(store, mark, b"now")
    try:
        leases, marks = _leases(store)
        now = next((each.modified for each in marks if each.path == mark), 0.0)
    finally:
        store.delete(mark)
    for other in marks:
        # A sweeper that was killed left it.
        if other.modified and now - other.modified > _MARK_SECONDS:
            store.delete(other.path)
    return sorted(shuffle for shuffle, lease in leases.items() if _is_expired(store, lease, now))


def _is_expired(store: Store, lease: _Held, now: float) -> bool:
    age = now - lease.modified
    # A store without times returns 0. Then no lease expires.
    if not now or not lease.modified or age <= MIN_SECONDS:
        return False
    seconds = _seconds(store, lease.path)
    return seconds is not None and age > 1.5 * seconds + 1


def _seconds(store: Store, path: str) -> float | None:
    """Return the seconds of a lease, or None if it states none."""
    try:
        source = store.open(path)
    except BlobMissing:
        return None
    try:
        seconds = json.loads(source.read(0, min(source.length, _MAX_LENGTH)))["seconds"]
        return float(seconds) if seconds >= MIN_SECONDS else None
    except (ValueError, TypeError, KeyError):
        return None
    finally:
        source.close()


def _leases(store: Store) -> tuple[dict[str, _Held], list[_Held]]:
    """Return the newest lease of each shuffle, and the marks of sweepers."""
    leases: dict[str, _Held] = {}
    marks: list[_Held] = []
    for entry in store.list(LEASES):
        name = entry.path.rpartition("/")[2]
        held = _Held(entry.path, entry.modified)
        if name.startswith(_MARK):
            marks.append(held)
        elif not name.endswith(TEMPORARY):
            leases[name] = max(held, leases.get(name, held), key=lambda each: each.modified)
    return leases, marks
