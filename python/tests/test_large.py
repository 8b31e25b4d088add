"""Columns of long strings. With `BLOBSHUFFLE_LARGE` above 1 they are larger than 2 GiB."""

import os

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from shuffles import write

from blobshuffle import read

LARGE = int(os.environ.get("BLOBSHUFFLE_LARGE", "1"))

VALUE = 1 << 20
VALUES = 24 if LARGE == 1 else 2100
"""A megabyte each: in all 24 MiB, or 2.05 GiB."""


def column(data_type, start, count):
    """Strings that begin with their number."""
    texts = [f"{number:08d}".ljust(VALUE, "x") for number in range(start, start + count)]
    return pa.table({"n": range(start, start + count), "text": pa.array(texts, data_type)})


def check(ref):
    numbers = []
    for batch in read([ref], 0):
        starts = pc.call_function(
            "utf8_slice_codeunits",
            [batch["text"].cast(pa.large_string())],
            pc.SliceOptions(0, 8),
        )
        lengths = pc.call_function("binary_length", [batch["text"].cast(pa.large_string())])
        assert set(lengths.to_pylist()) == {VALUE}
        assert [int(text) for text in starts.to_pylist()] == batch["n"].to_pylist()
        numbers += batch["n"].to_pylist()
    assert numbers == list(range(VALUES))


def test_one_batch_of_a_large_string_column(tmp_path):
    check(write(tmp_path, column(pa.large_string(), 0, VALUES), 1, ids=[0] * VALUES))


@pytest.mark.parametrize("data_type", [pa.string(), pa.string_view(), pa.large_string()])
def test_many_batches_of_a_string_column(tmp_path, data_type):
    step = VALUES // 3
    parts = [column(data_type, at, step) for at in range(0, VALUES, step)]
    check(write(tmp_path, pa.concat_tables(parts), 1, ids=[0] * VALUES, memory=64 << 20))


def test_one_string_longer_than_a_request(tmp_path):
    size = (40 << 20) * min(LARGE, 10)
    text = "z" * size
    data = pa.table({"text": pa.array([text, "a"], pa.large_string())})
    ref = write(tmp_path, data, 1, ids=[0, 0])
    assert read([ref], 0).read_all()["text"].to_pylist() == [text, "a"]
