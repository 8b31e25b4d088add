"""Deletes the blobs of shuffles that no reader needs any more."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass

from blobshuffle import lease as leases
from blobshuffle.lease import Lease, path_of
from blobshuffle.store import SHUFFLES, TEMPORARY, StoreLike, checked_name, open_store


def release(store: StoreLike, shuffle: str) -> None:
    """Delete all that a shuffle has stored, committed or not, and its lease. Idempotent.

    Call it when the last reader has finished, and when the job has failed. Raises
    `StoreUnavailable` if the store refuses; call it again then.
    """
    opened = open_store(store)
    opened.delete(f"{SHUFFLES}/{checked_name(shuffle)}")
    # Last, so that a release that fails half-way is done again when the lease expires.
    opened.delete(path_of(shuffle))
    opened.delete(path_of(shuffle) + TEMPORARY)


@contextlib.contextmanager
def releasing(store: StoreLike, shuffle: str, *, lease: float | None = None) -> Iterator[str]:
    """Release a shuffle at the end of a block, whether it succeeds or fails.

    With `lease`, a thread renews a lease of so many seconds: if this process dies,
    `release_expired` deletes the blobs after the lease has expired. The block begins with a call of
    `release_expired`.
    """
    opened = open_store(store)
    held: Lease | None = None
    if lease is not None:
        release_expired(opened)
        held = Lease(opened, shuffle, lease).start()
    try:
        yield shuffle
    finally:
        if held:
            held.close()
        release(opened, shuffle)


def release_expired(store: StoreLike) -> list[Abandoned]:
    """Release the shuffles whose lease has expired, and return them.

    Raises `StoreUnavailable` if the store refuses; the next call does the rest.
    """
    opened = open_store(store)
    found = expired(opened)
    for shuffle in found:
        release(opened, shuffle.shuffle)
    return found


def expired(store: StoreLike) -> list[Abandoned]:
    """Return the shuffles whose lease has expired, by the store's clock."""
    opened = open_store(store)
    found: list[Abandoned] = []
    for shuffle in leases.expired(opened):
        sizes = [entry.size for entry in opened.list(f"{SHUFFLES}/{shuffle}")]
        found.append(Abandoned(shuffle, len(sizes), sum(sizes)))
    return found


@dataclass(frozen=True, slots=True)
class Abandoned:
    """A shuffle without recent writes: its name, blobs and bytes."""

    shuffle: str
    blobs: int
    bytes: int


def abandoned(store: StoreLike, older_than: float, now: float | None = None) -> list[Abandoned]:
    """Return the shuffles without a lease whose newest blob is at least `older_than` seconds old.

    `now` is in seconds since the Unix epoch, by default this machine's clock. Jobs that take
    longer than `older_than` between their last write and their last read would lose their blobs:
    choose it longer than any job.
    """
    limit = (time.time() if now is None else now) - older_than
    found: dict[str, tuple[int, int, float]] = {}
    opened = open_store(store)
    for entry in opened.list(SHUFFLES):
        parts = entry.path.split("/")
        if len(parts) < 3:
            continue
        blobs, size, newest = found.get(parts[1], (0, 0, entry.modified))
        found[parts[1]] = (blobs + 1, size + entry.size, max(newest, entry.modified))
    old = [
        Abandoned(shuffle, blobs, size)
        for shuffle, (blobs, size, newest) in sorted(found.items())
        if newest <= limit
    ]
    kept = leases.leased(opened) if old else set()
    return [shuffle for shuffle in old if shuffle.shuffle not in kept]
