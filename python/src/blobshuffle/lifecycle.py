"""Deleting the blobs of shuffles that nobody reads any more."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass

from blobshuffle.store import SHUFFLES, StoreLike, checked_name, open_store


def release(store: StoreLike, shuffle: str) -> None:
    """Delete all that a shuffle has stored, committed or not. Idempotent.

    Call it when the last reader has finished, and when the job has failed. Raises
    `StoreUnavailable` if the store refuses; call it again then.
    """
    open_store(store).delete(f"{SHUFFLES}/{checked_name(shuffle)}")


@contextlib.contextmanager
def releasing(store: StoreLike, shuffle: str) -> Iterator[str]:
    """Release a shuffle at the end of a block, whether it succeeds or fails."""
    try:
        yield shuffle
    finally:
        release(store, shuffle)


@dataclass(frozen=True, slots=True)
class Abandoned:
    """A shuffle that nobody has written to for a while: its name, blobs and bytes."""

    shuffle: str
    blobs: int
    bytes: int


def abandoned(store: StoreLike, older_than: float, now: float | None = None) -> list[Abandoned]:
    """Return the shuffles whose newest blob is at least `older_than` seconds old.

    `now` is in seconds since the Unix epoch, by default this machine's clock. Jobs that take
    longer than `older_than` between their last write and their last read would lose their blobs:
    choose it longer than any job.
    """
    limit = (time.time() if now is None else now) - older_than
    found: dict[str, tuple[int, int, float]] = {}
    for entry in open_store(store).list(SHUFFLES):
        parts = entry.path.split("/")
        if len(parts) < 3:
            continue
        blobs, size, newest = found.get(parts[1], (0, 0, entry.modified))
        found[parts[1]] = (blobs + 1, size + entry.size, max(newest, entry.modified))
    return [
        Abandoned(shuffle, blobs, size)
        for shuffle, (blobs, size, newest) in sorted(found.items())
        if newest <= limit
    ]
