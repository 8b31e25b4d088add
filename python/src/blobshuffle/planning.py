"""Advice for a shuffle: partitions, codec and directories, from speeds measured on this machine."""

from __future__ import annotations

import contextlib
import math
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from blobshuffle.adaptive import CODECS, AdaptiveCodec, Cost, Rates, cheapest
from blobshuffle.arrow import FRAME_BYTES, BatchEncoder, FrameCodec
from blobshuffle.columns import size_of
from blobshuffle.failure import StoreUnavailable

MIN_PARTITION, PARTITION, MAX_PARTITION = 128 << 20, 256 << 20, 512 << 20
"""The bytes of rows that a partition should have: least, best and most."""

SMALL_SEGMENT = 64 << 10
"""Segments of fewer bytes are slow to read."""

_PROBE_BYTES = 64 << 20
_SAMPLE_ROWS = 1 << 17
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "p": 10**15}


@dataclass(frozen=True)
class Place:
    """A directory: its device, free bytes, and the bytes per second that its disk takes and gives.

    The rates are those of one stream, written to the disk and read from it, not from memory.
    """

    directory: str
    device: int
    free: int
    write: float
    read: float


@dataclass(frozen=True)
class Measured:
    """The speeds of a machine: the cost of each codec for sampled rows, and its directories."""

    costs: dict[FrameCodec, Cost]
    places: list[Place]
    cores: int
    seconds: float
    sample: str | None


def size(text: str) -> int:
    """Return the bytes that a text such as 500GB or 2TiB means. Raises `ValueError`."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgtp]?)(i?)b?", text.strip().lower())
    if not found or (found.group(3) and not found.group(2)):
        raise ValueError(f"{text!r} is no size such as 500GB or 2TiB")
    number, unit, binary = found.groups()
    power = " kmgtp".index(unit or " ")
    count = int(float(number) * (1024**power if binary else _UNITS[unit]))
    if not count:
        raise ValueError(f"{text!r} is no size: at least one byte")
    return count


def measure(directories: Sequence[str], sample: str | None = None) -> Measured:
    """Measure the codecs on rows of a file, or made-up ones, and the disks of directories.

    It takes some seconds. Each disk is probed once, with a file of 64 MiB that is deleted. Raises
    `StoreUnavailable` if a directory does not take it, and `ValueError` for an unreadable sample.
    """
    began = time.perf_counter()
    costs = codec_costs(_rows() if sample is None else _sample(sample))
    rates: dict[int, tuple[float, float]] = {}
    places: list[Place] = []
    for directory in directories:
        try:
            os.makedirs(directory, exist_ok=True)
            device = os.stat(directory).st_dev
            if device not in rates:
                rates[device] = _probe(directory)
            places.append(
                Place(directory, device, shutil.disk_usage(directory).free, *rates[device])
            )
        except OSError as failure:
            raise StoreUnavailable(
                f"Cannot measure {directory}: {failure.strerror or failure}. Free 64 MiB there, or "
                "name another directory."
            ) from failure
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return Measured(costs, places, cores or 1, time.perf_counter() - began, sample)


def codec_costs(batches: Sequence[pa.RecordBatch]) -> dict[FrameCodec, Cost]:
    """Return what each codec costs for frames of rows."""
    found: dict[FrameCodec, Cost] = {}
    for batch in batches:
        step = max(1, batch.num_rows * FRAME_BYTES // max(1, size_of(batch)))
        for at in range(0, batch.num_rows, step):
            codec = AdaptiveCodec(Rates(0.0))
            encoder = BatchEncoder(batch.schema, "lz4")
            piece = encoder.prepare(batch.slice(at, step))
            for _ in codec.encode(encoder, [piece]):
                pass
            for name, cost in codec.costs.items():
                found[name] = cost.plus(found[name]) if name in found else cost
    return found


def _rows() -> list[pa.RecordBatch]:
    """Return made-up rows as of orders: keys, amounts, dates, flags and short texts."""
    random = np.random.default_rng(0)
    words = ["carefully", "final", "deposits", "sleep", "quickly", "ironic", "packages", "are"]
    texts = np.array(words)[random.integers(0, len(words), (_SAMPLE_ROWS, 4))]
    columns: dict[str, Any] = {
        "key": np.sort(random.integers(0, 1 << 30, _SAMPLE_ROWS)),
        "part": random.integers(0, 200_000, _SAMPLE_ROWS),
        "amount": random.integers(90_000, 10_000_000, _SAMPLE_ROWS) / 100,
        "day": pa.array(random.integers(8000, 10_500, _SAMPLE_ROWS).astype(np.int32), pa.date32()),
        "flag": np.array(["A", "N", "R"])[random.integers(0, 3, _SAMPLE_ROWS)],
        "comment": [" ".join(row) for row in texts.tolist()],
    }
    return [pa.record_batch(columns)]


def _sample(path: str) -> list[pa.RecordBatch]:
    try:
        if path.endswith(".parquet"):
            import pyarrow.parquet as parquet

            with parquet.ParquetFile(path) as file:
                batches = [next(file.iter_batches(_SAMPLE_ROWS))]
        else:
            with pa.OSFile(path) as file:
                opened: Any = _opened(file)
                batches = [opened.read_next_batch()]
    except (pa.ArrowException, OSError, StopIteration) as failure:
        raise ValueError(f"Cannot read rows of {path}: {failure or 'it has none'}.") from None
    return [batch.slice(0, _SAMPLE_ROWS) for batch in batches]


def _opened(file: Any) -> Any:
    """Return a reader of an Arrow stream; a file of Arrow has one after eight bytes."""
    if file.read(6) == b"ARROW1":
        file.seek(8)
    else:
        file.seek(0)
    return pa.ipc.open_stream(file)


def _probe(directory: str) -> tuple[float, float]:
    """Return bytes per second that a disk takes and gives."""
    data = np.random.default_rng(0).bytes(4 << 20)
    with tempfile.TemporaryFile(dir=directory, buffering=0) as file:
        began = time.perf_counter()
        for _ in range(_PROBE_BYTES // len(data)):
            file.write(data)
        os.fsync(file.fileno())
        written = time.perf_counter()
        with contextlib.suppress(AttributeError, OSError):
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        file.seek(0)
        while file.read(len(data)):
            pass
        return _PROBE_BYTES / (written - began), _PROBE_BYTES / (time.perf_counter() - written)


def advise(
    rows: int, maps: int | None, partitions: int | None, measured: Measured
) -> Iterator[str]:
    """Return lines of advice for a shuffle of so many bytes of rows."""
    yield (
        f"Measured in {measured.seconds:.1f} s on this machine, {measured.cores} cores, with "
        + (f"rows of {measured.sample}:" if measured.sample else "made-up rows (see --sample):")
    )
    for codec in CODECS:
        yield f"  {_speed(codec, measured.costs[codec])}"
    for place in measured.places:
        yield (
            f"  {place.directory}: {_bytes(place.free)} free, writes {_bytes(place.write)}/s, "
            f"reads {_bytes(place.read)}/s"
        )
    yield "Advice:"
    count = partitions or max(1, -(-rows // PARTITION))
    yield f"  {_partitions(rows, count)}"
    codec = _codec(measured)
    yield f"  {_codec_line(codec, measured)}"
    stored = rows * measured.costs[codec].stored_bytes / max(1, measured.costs[codec].raw_bytes)
    if measured.places:
        yield f"  {_directories(stored, measured.places)}"
    else:
        yield f"  Blobs take about {_bytes(stored)}. Pass --directory to measure disks."
    yield from (f"  {line}" for line in _maps(rows, maps, count))


def _speed(codec: str, cost: Cost) -> str:
    if codec == "none":
        return "none: nothing to compress"
    share = cost.stored_bytes / max(1, cost.raw_bytes)
    rates = [
        cost.raw_bytes / max(s, 1e-9) for s in (cost.compress_seconds, cost.decompress_seconds)
    ]
    return (
        f"{codec}: compresses {_bytes(rates[0])}/s, decompresses {_bytes(rates[1])}/s for each "
        f"core, to {share:.0%}"
    )


def _partitions(rows: int, count: int) -> str:
    each = rows / count
    fit = max(1, -(-rows // PARTITION))
    if each > MAX_PARTITION:
        return (
            f"partitions={count} has {_bytes(each)} of rows each, more than "
            f"{_bytes(MAX_PARTITION)}: take {fit}, or reduce tasks need much memory."
        )
    if each < MIN_PARTITION and count > 1:
        return (
            f"partitions={count} has {_bytes(each)} of rows each, less than "
            f"{_bytes(MIN_PARTITION)}: take {fit}, or let a task reduce several."
        )
    return f"partitions={count}: {_bytes(each)} of rows each."


def _disk_seconds(places: Sequence[Place]) -> tuple[float, float]:
    """Return seconds for a byte written and read, with all disks at once; a disk counts once."""
    disks = {place.device: place for place in places}.values()
    if not disks:
        return 0.0, 0.0
    return 1 / sum(disk.write for disk in disks), 1 / sum(disk.read for disk in disks)


def _codec(measured: Measured) -> FrameCodec:
    """Return the codec of least cost, if all cores share the disks."""
    if not measured.places:
        return "lz4"
    write, read = _disk_seconds(measured.places)
    return cheapest(measured.costs, write * measured.cores, read * measured.cores)


def _codec_line(codec: FrameCodec, measured: Measured) -> str:
    if not measured.places:
        return 'codec="lz4": the default, because no disk was measured.'
    write, read = (each * measured.cores for each in _disk_seconds(measured.places))
    costs = ", ".join(
        f"{name} {measured.costs[name].seconds(write, read) * 1e9:.1f}" for name in CODECS
    )
    return (
        f'codec="{codec}": a GB of rows costs {costs} core seconds if {measured.cores} cores share '
        "the disks."
    )


def _directories(stored: float, places: Sequence[Place]) -> str:
    names = ", ".join(place.directory for place in places)
    disks = {place.device: place for place in places}
    free = sum(disk.free for disk in disks.values())
    if stored > 0.9 * free:
        return (
            f"Blobs take about {_bytes(stored)}, and {names} have {_bytes(free)} free: add a disk, "
            "or use an object store."
        )
    twice = len(places) - len(disks)
    note = f" {twice} of them share a disk with another: name each disk once." if twice else ""
    return (
        f"store=[{names}]: blobs take about {_bytes(stored)} of {_bytes(free)} free; each goes to "
        f"one by its free space.{note}"
    )


def _maps(rows: int, maps: int | None, partitions: int) -> Iterator[str]:
    memory = max(64 << 20, partitions * (64 << 10))
    if maps is None:
        yield f"memory={_bytes(memory)} for each writer, or more."
        return
    each, segment = rows / maps, rows / maps / partitions
    whole = max(memory, math.ceil(2 * each))
    yield (
        f"A map has {_bytes(each)}: memory={_bytes(whole)} spills nothing, and at least "
        f"{_bytes(memory)}."
    )
    if segment < SMALL_SEGMENT:
        yield (
            f"A map has {_bytes(segment)} for a partition, less than {_bytes(SMALL_SEGMENT)}: "
            f"fewer maps, at most {max(1, int(rows / partitions / SMALL_SEGMENT))}, are faster."
        )


def _bytes(count: float) -> str:
    """Return bytes in a binary unit."""
    unit = 0
    while count >= 1024 and unit < 5:
        count, unit = count / 1024, unit + 1
    return f"{count:.4g} {('B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB')[unit]}"


__all__ = ["Measured", "Place", "advise", "codec_costs", "measure", "size"]
