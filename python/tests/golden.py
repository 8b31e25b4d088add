"""Writes ARROW-python.blob beside the golden blobs that Java wrote:

    python tests/golden.py

Three partitions; the frames have their own dictionaries, one is compressed with LZ4 and one with
Zstandard, and one partition has two frames.
"""

import pathlib

import pyarrow as pa

from blobshuffle.arrow import BatchEncoder
from blobshuffle.container import BlobId, ContentKind, Origin
from blobshuffle.container_writer import ContainerWriter

ID = BlobId(29_453_760, 0xFEDC_BA98_7654_3210, 42)
STORE = 0x0BAD_CAFE
CREATED = 1_767_225_600_001
ORIGIN = Origin("query-7", 12, 1)
SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("name", pa.string_view()),
        ("flag", pa.dictionary(pa.int8(), pa.string())),
    ]
)


def batch(first, rows, flags):
    """`rows` rows whose ids count from `first`."""
    ids = range(first, first + rows)
    return pa.record_batch(
        [
            pa.array(ids, pa.int64()),
            pa.array([None if i % 3 == 0 else f"name {i}" for i in ids], pa.string_view()),
            pa.DictionaryArray.from_arrays(
                pa.array([i % len(flags) for i in ids], pa.int8()), pa.array(flags)
            ),
        ],
        schema=SCHEMA,
    )


def blob():
    """The bytes of the golden blob."""
    data = bytearray()
    writer = ContainerWriter(ID, STORE, CREATED, ContentKind.ARROW, data.extend)
    encoders = {codec: BatchEncoder(SCHEMA, codec) for codec in ("none", "lz4", "zstd")}
    for encoder in encoders.values():
        encoder.is_mixed = True
    writer.prelude(encoders["none"].prelude())
    writer.section("east-1")

    def frames(*parts):
        for codec, rows in parts:
            yield from encoders[codec].encode([encoders[codec].prepare(rows)])

    writer.segment(0, ORIGIN, frames(("none", batch(0, 4, "ANR"))))
    writer.segment(3, ORIGIN, frames(("lz4", batch(4, 60, "AB")), ("none", batch(64, 1, "Z"))))
    writer.segment(7, ORIGIN, frames(("zstd", batch(65, 100, "QRST"))))
    writer.finish()
    return bytes(data)


if __name__ == "__main__":
    target = pathlib.Path(__file__).parents[2] / "core/src/test/resources/golden/v2"
    (target / "ARROW-python.blob").write_bytes(blob())
