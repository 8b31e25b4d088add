"""References to committed blobs, and the check that a shuffle is whole."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from blobshuffle.container import BlobId
from blobshuffle.failure import IncompleteShuffle


@dataclass(frozen=True, slots=True)
class Ref:
    """The result of `commit`: the blob of one attempt of one map. Small and picklable.

    It has no credentials, keys or rows. `store` is where the blob is, or None if readers must be
    given the store; `path` is below it. `length` is in bytes, `checksum` is the footer's CRC32C.
    `maps` is the number of maps of the shuffle, or None if the writer does not know it.
    """

    store: str | None
    shuffle: str
    map: int
    attempt: int
    maps: int | None
    partitions: int
    blob: BlobId
    path: str
    length: int
    rows: int
    checksum: int


def select(refs: Iterable[Ref], maps: int | None = None) -> list[Ref]:
    """Return one ref for each map, in the order of maps: that of the lowest attempt.

    Use it once, before refs go to readers, if maps were attempted more than once: all readers
    must read the same attempts. Raises `IncompleteShuffle` as `check` does.
    """
    best: dict[int, Ref] = {}
    for ref in refs:
        chosen = best.get(ref.map)
        if chosen is None or (ref.attempt, ref.blob) < (chosen.attempt, chosen.blob):
            best[ref.map] = ref
    chosen = [best[number] for number in sorted(best)]
    check(chosen, maps)
    return chosen


def check(refs: list[Ref], maps: int | None = None) -> None:
    """Require that refs are exactly one for each map 0 to `maps` - 1 of one shuffle.

    `maps` may be None if the writers know it. Raises `IncompleteShuffle`, naming the maps
    that are missing or duplicate.
    """
    if not refs:
        raise IncompleteShuffle("Cannot read a shuffle: there is no ref. Pass those of all maps.")
    first = refs[0]
    for ref in refs:
        if (ref.shuffle, ref.partitions, ref.maps) != (first.shuffle, first.partitions, first.maps):
            raise IncompleteShuffle(
                f"Cannot read a shuffle: the refs are of {first.shuffle} with {first.maps} maps "
                f"and {first.partitions} partitions, and of {ref.shuffle} with {ref.maps} maps and "
                f"{ref.partitions} partitions. Pass the refs of one shuffle."
            )
    expected = first.maps if maps is None else maps
    if expected is None:
        raise IncompleteShuffle(
            f"Cannot read shuffle {first.shuffle}: without the number of maps, a missing one "
            "would not be noticed. Pass maps to ShuffleWriter or to read."
        )
    if first.maps is not None and first.maps != expected:
        raise IncompleteShuffle(
            f"Cannot read shuffle {first.shuffle}: its writers have {first.maps} maps, and "
            f"its reader expects {expected}. Pass the same number."
        )
    _check_numbers(first.shuffle, [ref.map for ref in refs], expected)


def _check_numbers(shuffle: str, numbers: list[int], expected: int) -> None:
    seen = set(numbers)
    lost = [number for number in range(expected) if number not in seen]
    other = sorted(number for number in seen if not 0 <= number < expected)
    twice = (
        sorted(number for number in seen if numbers.count(number) > 1)
        if (len(seen) < len(numbers))
        else []
    )
    if lost:
        raise IncompleteShuffle(
            f"Cannot read shuffle {shuffle}: {len(lost)} of {expected} maps are missing: "
            f"{_some(lost)}. Run them, or pass their refs."
        )
    if other:
        raise IncompleteShuffle(
            f"Cannot read shuffle {shuffle}: maps {_some(other)} are not among its {expected}. "
            "Pass the right number of maps."
        )
    if twice:
        raise IncompleteShuffle(
            f"Cannot read shuffle {shuffle}: maps {_some(twice)} have several refs. Pass one of "
            "each, the same to all readers: blobshuffle.select chooses."
        )


def _some(numbers: list[int]) -> str:
    text = ", ".join(str(number) for number in numbers[:10])
    return text if len(numbers) <= 10 else f"{text} and {len(numbers) - 10} more"
