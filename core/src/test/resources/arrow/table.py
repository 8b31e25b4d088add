"""Writes table.arrows beside this file: an Arrow IPC stream of 172 rows in five record batches, of which
one is compressed with LZ4 and one with Zstandard. Needs pyarrow; no test runs it."""

import io
import pathlib

import pyarrow as pa

SCHEMA = pa.schema([("id", pa.int64()), ("name", pa.string()), ("flag", pa.dictionary(pa.int8(), pa.string()))])
FLAGS = pa.array(["A", "N", "R"])
END = b"\xff\xff\xff\xff\0\0\0\0"


def batch(first, rows):
    ids = range(first, first + rows)
    return pa.record_batch(
        [
            pa.array(ids, pa.int64()),
            pa.array([None if i % 3 == 0 else f"name {i}" for i in ids]),
            pa.DictionaryArray.from_arrays(pa.array([i % 3 for i in ids], pa.int8()), FLAGS),
        ],
        schema=SCHEMA,
    )


def messages(first, rows, compression):
    """Schema, dictionary and record batch, each as one message."""
    stream = io.BytesIO()
    with pa.ipc.new_stream(stream, SCHEMA, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_batch(batch(first, rows))
    reader = pa.ipc.MessageReader.open_stream(stream.getvalue())
    return [message.serialize().to_pybytes() for message in reader]


parts = messages(0, 4, None)
for first, rows, compression in [(4, 60, "lz4"), (64, 1, None), (65, 100, "zstd"), (165, 7, None)]:
    parts.append(messages(first, rows, compression)[2])
stream = b"".join(parts) + END
assert pa.ipc.open_stream(stream).read_all().num_rows == 172
pathlib.Path(__file__).with_name("table.arrows").write_bytes(stream)
