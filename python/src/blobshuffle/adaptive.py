"""Codec `adaptive`: samples the first frames of a map, and compresses the rest by their cost.

A byte of rows costs, in seconds:

    1 / compress + 1 / decompress + (stored / raw) * (1 / write + 1 / read)

`compress` and `decompress` are the rates of one core in bytes of rows per second, measured on the
sample. `write` and `read` are the rates of the store in stored bytes per second: averages that this
process has measured, or until then presumed rates. The network is part of both, because the process
measures them where bytes leave and enter it. The codec with the least cost wins.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

import pyarrow as pa

from blobshuffle.arrow import EncodedFrame, FrameCodec

CODECS: tuple[FrameCodec, ...] = ("none", "lz4", "zstd")
"""The candidates, in the order in which equal costs are decided."""

SAMPLE_BYTES = 1 << 20
"""Rows that a map samples before it decides, bytes; at least one frame, at most `MAX_SAMPLES`."""

MAX_SAMPLES = 16

MIN_OBSERVED = 256 << 10
"""The smallest transfer that counts, bytes: in smaller ones latency would pass for bandwidth."""

_WEIGHT = 0.25
_MAX_STORES = 64
_DIRECTORY_SECONDS = 1e-9
_REMOTE_SECONDS = 1e-8
_OPTIONS = pa.ipc.IpcReadOptions(use_threads=False)


class Cost(NamedTuple):
    """The cost of a codec for a sample: seconds of one core, and bytes."""

    compress_seconds: float
    decompress_seconds: float
    raw_bytes: int
    stored_bytes: int

    def plus(self, other: Cost) -> Cost:
        """Return the sum of two samples."""
        return Cost(
            self.compress_seconds + other.compress_seconds,
            self.decompress_seconds + other.decompress_seconds,
            self.raw_bytes + other.raw_bytes,
            self.stored_bytes + other.stored_bytes,
        )

    def seconds(self, write: float, read: float) -> float:
        """Return the seconds for a byte of rows; `write` and `read` are those of a stored byte."""
        raw = max(1, self.raw_bytes)
        cpu = (self.compress_seconds + self.decompress_seconds) / raw
        return cpu + self.stored_bytes / raw * (write + read)


def cheapest(costs: dict[FrameCodec, Cost], write: float, read: float) -> FrameCodec:
    """Return the codec of least cost, and of equal ones the first of `CODECS`."""
    return min(
        (codec for codec in CODECS if codec in costs),
        key=lambda codec: (costs[codec].seconds(write, read), CODECS.index(codec)),
    )


class Average:
    """A moving average of seconds for a byte. Thread-safe.

    Each observation counts a quarter, and those before it the remaining three.
    """

    def __init__(self, start: float) -> None:
        self._seconds = start
        self._lock = threading.Lock()
        self._is_measured = False

    @property
    def seconds(self) -> float:
        """Seconds for a byte."""
        return self._seconds

    def observe(self, size: int, seconds: float) -> None:
        """Count a transfer, unless it is small. The first replaces the presumed rate."""
        if size < MIN_OBSERVED:
            return
        with self._lock:
            weight = _WEIGHT if self._is_measured else 1.0
            self._is_measured = True
            self._seconds += weight * (max(0.0, seconds) / size - self._seconds)


class Rates:
    """The rates of a store, as this process has measured them. Thread-safe."""

    def __init__(self, start: float) -> None:
        self.write = Average(start)
        self.read = Average(start)


class _RatesByStore:
    """The rates of the stores used last. Thread-safe."""

    def __init__(self) -> None:
        self._rates: OrderedDict[str, Rates] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, store: _Store) -> Rates:
        key = store.location or f"{type(store).__qualname__} {store.read_ahead}"
        with self._lock:
            rates = self._rates.get(key)
            if rates is None:
                # A store whose blobs readers request early is behind a network.
                rates = Rates(_REMOTE_SECONDS if store.read_ahead else _DIRECTORY_SECONDS)
                self._rates[key] = rates
            self._rates.move_to_end(key)
            while len(self._rates) > _MAX_STORES:
                self._rates.popitem(last=False)
            return rates


class _Store(Protocol):
    @property
    def location(self) -> str | None: ...

    @property
    def read_ahead(self) -> int: ...


class _Encoder(Protocol):
    def use(self, codec: FrameCodec) -> None: ...

    def prelude(self) -> bytes: ...

    def encode(self, pieces: Sequence[pa.RecordBatch]) -> Iterator[EncodedFrame]: ...


_rates = _RatesByStore()


def rates_of(store: _Store) -> Rates:
    """Return the rates measured for a store: 1 GB/s at first, behind a network 0.1."""
    return _rates.of(store)


class AdaptiveCodec:
    """Chooses the codec of one map. Owned by one thread.

    `clock` returns seconds that this thread has computed.
    """

    def __init__(self, rates: Rates, clock: Callable[[], float] = time.thread_time) -> None:
        self._rates = rates
        self._clock = clock
        self._costs: dict[FrameCodec, Cost] = {}
        self._samples = 0
        self.codec: FrameCodec | None = None
        """The choice, None while the map has no frame."""

    @property
    def costs(self) -> dict[FrameCodec, Cost]:
        """The costs of the codecs, as far as they are sampled."""
        return dict(self._costs)

    def encode(self, encoder: _Encoder, pieces: Sequence[pa.RecordBatch]) -> Iterator[EncodedFrame]:
        """Encode batches as frames: with each codec as long as the map samples."""
        if self._is_decided:
            yield from encoder.encode(pieces)
            return
        tried: dict[FrameCodec, list[EncodedFrame]] = {}
        for codec in CODECS:
            encoder.use(codec)
            tried[codec], cost = self._try(encoder, pieces)
            before = self._costs.get(codec)
            self._costs[codec] = cost if before is None else before.plus(cost)
        self._samples += 1
        self.codec = cheapest(self._costs, self._rates.write.seconds, self._rates.read.seconds)
        encoder.use(self.codec)
        yield from tried[self.codec]

    @property
    def _is_decided(self) -> bool:
        sampled = max((cost.raw_bytes for cost in self._costs.values()), default=0)
        return sampled >= SAMPLE_BYTES or self._samples >= MAX_SAMPLES

    def _try(
        self, encoder: _Encoder, pieces: Sequence[pa.RecordBatch]
    ) -> tuple[list[EncodedFrame], Cost]:
        start = self._clock()
        frames = list(encoder.encode(pieces))
        encoded = self._clock()
        for frame in frames:
            stream = pa.py_buffer(encoder.prelude() + bytes(frame.data))
            with pa.ipc.open_stream(stream, options=_OPTIONS) as reader:
                for batch in reader:
                    assert batch is not None
        decoded = self._clock()
        raw = sum(frame.raw_length for frame in frames)
        stored = sum(len(memoryview(frame.data)) for frame in frames)
        return frames, Cost(encoded - start, decoded - encoded, raw, stored)
