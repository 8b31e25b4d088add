"""Spilled frames of one map, in as many files as directories fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from blobshuffle.arrow import EncodedFrame
from blobshuffle.failure import StoreUnavailable
from blobshuffle.spill import SpillFile


class _Place(NamedTuple):
    directory: str | None
    file: SpillFile


class Spills:
    """Runs of frames: each is whole in one file, and files follow each other. Owned by one thread.

    If a directory does not take a run, it is written again to the next one, and the runs before it
    are read from where they are.
    """

    def __init__(
        self, directories: Callable[[], Sequence[str | None]], failed: Callable[[str, str], None]
    ) -> None:
        """Name where to spill. `directories` is asked whenever a file is needed.

        `failed` is called with a directory and the reason when it does not take a run.
        """
        self._directories = directories
        self._failed = failed
        self._places: list[_Place] = []

    @property
    def bytes_written(self) -> int:
        """Bytes on disks."""
        return sum(place.file.bytes_written for place in self._places)

    def write_run(
        self, frames: Callable[[], Iterator[tuple[int, EncodedFrame]]], *, shares_dictionaries: bool
    ) -> None:
        """Write the frames of all partitions in memory, in the order of partitions.

        `frames` is called again for each directory that does not take them. Raises
        `StoreUnavailable` if none does.
        """
        tried: set[str | None] = set()
        failure: StoreUnavailable | None
        if self._places:
            place = self._places[-1]
            tried.add(place.directory)
            failure = self._try(place, frames, shares_dictionaries)
        else:
            failure = StoreUnavailable("Cannot spill rows: no directory takes them. Free space.")
        while failure:
            left = [each for each in self._directories() if each not in tried]
            if not left:
                raise failure
            tried.add(left[0])
            failure = self._open_and_try(left[0], frames, shares_dictionaries)

    def finish(self) -> None:
        """Begin to read, or to read again. Nothing is written after it."""
        for place in self._places:
            place.file.rewind()

    def partitions(self) -> set[int]:
        """Return the partitions of which there are frames."""
        return set().union(*(place.file.partitions() for place in self._places))

    def frames(self, partition: int, dictionaries: bytes) -> Iterator[EncodedFrame]:
        """Return a partition's frames in the order written. Call it in ascending order."""
        for place in self._places:
            yield from place.file.frames(partition, dictionaries)

    def close(self) -> None:
        """Release the space. Idempotent."""
        for place in self._places:
            place.file.close()

    def _open_and_try(
        self,
        directory: str | None,
        frames: Callable[[], Iterator[tuple[int, EncodedFrame]]],
        shares_dictionaries: bool,
    ) -> StoreUnavailable | None:
        try:
            place = _Place(directory, SpillFile(directory))
        except StoreUnavailable as failure:
            self._note(directory, failure)
            return failure
        self._places.append(place)
        return self._try(place, frames, shares_dictionaries)

    def _try(
        self,
        place: _Place,
        frames: Callable[[], Iterator[tuple[int, EncodedFrame]]],
        shares_dictionaries: bool,
    ) -> StoreUnavailable | None:
        place.file.start_run(shares_dictionaries=shares_dictionaries)
        try:
            for partition, frame in frames():
                place.file.write(partition, frame)
            # Its runs must be on the disk before it may fail.
            place.file.finish()
        except StoreUnavailable as failure:
            place.file.drop_run()
            self._note(place.directory, failure)
            return failure
        return None

    def _note(self, directory: str | None, failure: StoreUnavailable) -> None:
        if directory is not None:
            self._failed(directory, str(failure))
