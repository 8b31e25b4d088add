import numpy as np
import pyarrow as pa
import pytest

from blobshuffle.partitioner import Partitioner

ROWS = 1000


@pytest.mark.parametrize("kind", [pa.string(), pa.binary()])
@pytest.mark.parametrize("lengths", [[0], [1], [2], [3], [4], [8], [1, 2], [2, 1, 3], [0, 2]])
@pytest.mark.parametrize("start", [0, 1, 3])
def test_strings_of_any_lengths_keep_their_rows(kind, lengths, start):
    texts = ["abcdefgh"[-length:] if length else "" for length in lengths]
    values = [texts[row % len(texts)] for row in range(ROWS)]
    if lengths == [1]:
        values = [chr(ord("a") + row % 26) for row in range(ROWS)]
    batch = pa.record_batch({"x": pa.array(values).cast(kind), "n": np.arange(ROWS)}).slice(start)
    ids = pa.array(batch["n"].to_numpy() * 7 % 5).cast(pa.uint32())
    partitioner = Partitioner(5, 1 << 30, 0)
    assert not list(partitioner.add(batch, ids))
    (morsel,) = partitioner.drain()
    morsel.batch.validate(full=True)
    order = np.argsort(ids.to_numpy(), kind="stable")
    assert morsel.batch.equals(batch.take(pa.array(order)))


def test_nulls_stay_nulls():
    batch = pa.record_batch({"x": pa.array(["a", None, "b"])})
    partitioner = Partitioner(2, 1 << 30, 0)
    assert not list(partitioner.add(batch, pa.array([1, 0, 1], pa.uint32())))
    (morsel,) = partitioner.drain()
    assert morsel.batch["x"].to_pylist() == [None, "a", "b"]


def test_a_morsel_of_several_batches_stays_within_the_bytes():
    rows, most = 300, 50_000
    batch = pa.record_batch({"x": ["a" * 100] * rows})
    ids = pa.array(np.arange(rows) % 3, pa.uint32())
    partitioner = Partitioner(3, most, 0)
    morsels = [morsel for _ in range(5) for morsel in partitioner.add(batch, ids)]
    morsels += partitioner.drain()
    assert sum(morsel.batch.num_rows for morsel in morsels) == 5 * rows
    assert all(morsel.batch.nbytes <= most for morsel in morsels)
    assert len(morsels) == 4
