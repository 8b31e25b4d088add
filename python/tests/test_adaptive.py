"""The adaptive codec: the least cost, by figures that the test controls."""

import numpy as np
import pyarrow as pa
import pytest
from shuffles import read_all, table, write

from blobshuffle.adaptive import (
    MAX_SAMPLES,
    MIN_OBSERVED,
    AdaptiveCodec,
    Average,
    Cost,
    Rates,
    cheapest,
)
from blobshuffle.arrow import BatchEncoder

MEGA = 1_000_000
# One core: lz4 0.6 and 2 GB/s to 40 %, zstd 0.4 and 1 GB/s to 24 %.
COSTS = {
    "none": Cost(0.0002, 0, MEGA, MEGA),
    "lz4": Cost(0.0017, 0.0005, MEGA, 400_000),
    "zstd": Cost(0.0025, 0.001, MEGA, 240_000),
}


@pytest.mark.parametrize(
    ("gigabytes", "codec"), [(10, "none"), (1, "none"), (0.5, "lz4"), (0.3, "lz4"), (0.1, "zstd")]
)
def test_slow_stores_want_small_frames_and_fast_ones_cheap_codecs(gigabytes, codec):
    second = 1e-9 / gigabytes
    assert cheapest(COSTS, second, second) == codec  # type: ignore[arg-type]


def test_rows_that_do_not_shrink_are_not_compressed():
    costs = {name: cost._replace(stored_bytes=MEGA) for name, cost in COSTS.items()}
    assert cheapest(costs, 1e-6, 1e-6) == "none"  # type: ignore[arg-type]


def test_equal_costs_are_decided_by_order():
    same = dict.fromkeys(("zstd", "lz4", "none"), COSTS["lz4"])
    assert cheapest(same, 1e-8, 1e-8) == "none"  # type: ignore[arg-type]


def test_an_average_starts_presumed_and_follows_what_is_measured():
    average = Average(1e-9)
    assert average.seconds == 1e-9
    average.observe(MIN_OBSERVED - 1, 100)
    assert average.seconds == 1e-9
    average.observe(MEGA, 4)
    assert average.seconds == pytest.approx(4e-6)
    average.observe(MEGA, 8)
    assert average.seconds == pytest.approx(5e-6)


class Clock:
    """Each reading is a millisecond after the one before."""

    now = 0.0

    def __call__(self):
        self.now += 0.001
        return self.now


def frames(adaptive, batches):
    encoder = BatchEncoder(batches[0].schema, "lz4")
    return [frame for batch in batches for frame in adaptive.encode(encoder, [batch])]


@pytest.mark.parametrize(("seconds", "codec"), [(0.0, "none"), (1e-3, "zstd")])
def test_the_first_frames_decide_for_a_map(seconds, codec):
    batches = [pa.record_batch({"x": np.arange(1 << 17) // 7 + n}) for n in range(4)]
    adaptive = AdaptiveCodec(Rates(seconds), Clock())
    encoded = frames(adaptive, batches)
    assert adaptive.codec == codec
    fixed = BatchEncoder(batches[0].schema, codec)
    for batch, frame in zip(batches, encoded, strict=True):
        (expected,) = fixed.encode([batch])
        assert bytes(frame.data) == bytes(expected.data)
        assert frame.raw_length == expected.raw_length


def test_sampling_ends_with_small_frames_too():
    clock = Clock()
    adaptive = AdaptiveCodec(Rates(1e-9), clock)
    batch = pa.record_batch({"x": [1, 2, 3]})
    frames(adaptive, [batch] * MAX_SAMPLES)
    sampled = clock.now
    frames(adaptive, [batch] * 10)
    assert clock.now == sampled


@pytest.mark.parametrize("memory", [4 << 20, 256 << 20])
def test_rows_come_back_whatever_each_map_chose(tmp_path, monkeypatch, memory):
    from blobshuffle import adaptive

    refs, chosen = [], []
    for number, seconds in enumerate((0.0, 1e-3, 0.0)):
        rates = Rates(seconds)
        monkeypatch.setattr("blobshuffle.writer.rates_of", lambda _, rates=rates: rates)
        monkeypatch.setattr(
            "blobshuffle.writer.AdaptiveCodec",
            lambda rates: chosen.append(adaptive.AdaptiveCodec(rates, Clock())) or chosen[-1],
        )
        refs.append(
            write(
                tmp_path,
                table(200_000, number),
                5,
                map=number,
                maps=3,
                codec="adaptive",
                memory=memory,
                batches=10,
            )
        )
    assert [choice.codec for choice in chosen] == ["none", "zstd", "none"]
    assert refs[1].length < 0.8 * refs[0].length
    for partition, part in enumerate(read_all(refs, 5)):
        expected = [table(200_000, n).take(np.arange(partition, 200_000, 5)) for n in range(3)]
        assert part.equals(pa.concat_tables(expected))


def test_dictionaries_are_sampled_with_their_frames(tmp_path):
    words = pa.array([f"word {n % 50}" for n in range(50_000)]).dictionary_encode()
    other = pa.array([f"other {n % 70}" for n in range(50_000)]).dictionary_encode()
    data = pa.table({"w": pa.chunked_array([words, other]), "n": np.arange(100_000)})
    ref = write(tmp_path, data, 3, codec="adaptive")
    back = pa.concat_tables(read_all([ref], 3)).sort_by("n")
    assert back["w"].cast(pa.string()).equals(data["w"].cast(pa.string()))
