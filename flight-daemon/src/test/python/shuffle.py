"""Writes shuffles, and reads them from a flight daemon with the stock client of pyarrow.

shuffle.py write STORE NAME CODEC: two maps and an empty one, three partitions; prints rows and sum
of column k for each. shuffle.py read PORT NAME: the same numbers, from the daemon. shuffle.py http
URL STORE NAME [TOKEN TRUST]: the same numbers, by HTTP. shuffle.py put PORT NAME CODEC: writes the
rows of `write` by DoPut. shuffle.py package PORT URL NAME CODEC: the same with the package, which
reads them by HTTP. shuffle.py abandon PORT NAME: begins maps and fails in the middle. shuffle.py
stop PORT STORE NAME: writes a partition of 64 MB, reads its first batch, says so and waits.
shuffle.py flights PORT NAMESPACE [TOKEN TRUST]: the flights of a namespace, and whether they can be read.
"""

import contextlib
import json
import os
import pathlib
import pickle
import struct
import sys

import pyarrow as pa
import pyarrow.flight as flight

PARTITIONS = 3
MAPS = 3
SCHEMA = pa.schema(
    [
        ("k", pa.int64()),
        ("text", pa.string()),
        ("view", pa.string_view()),
        ("list", pa.list_(pa.int32())),
        ("word", pa.dictionary(pa.int8(), pa.string())),
    ]
)


def batch_of(number: int, values: range) -> pa.RecordBatch:
    return pa.record_batch(
        [
            pa.array(values, pa.int64()),
            pa.array([f"text {v % 97}" for v in values]),
            pa.array([f"a longer text {v % 89}" for v in values], pa.string_view()),
            pa.array([[v, v + 1] for v in values], pa.list_(pa.int32())),
            # Each map has other values, so the dictionary of a stream changes.
            pa.array([f"{number}-{v % 5}" for v in values])
            .dictionary_encode()
            .cast(SCHEMA.field("word").type),
        ],
        schema=SCHEMA,
    )


def write(store: str, name: str, codec: str) -> None:
    from blobshuffle import ShuffleWriter, read

    refs = []
    for number in range(MAPS):
        with ShuffleWriter(
            store, shuffle=name, map=number, maps=MAPS, partitions=PARTITIONS, codec=codec, schema=SCHEMA
        ) as writer:
            if number < 2:
                values = range(number * 150_000, (number + 1) * 150_000)
                writer.write(batch_of(number, values), [v % 2 for v in values])
            refs.append(writer.commit())
    pathlib.Path(store, f"{name}.refs").write_bytes(pickle.dumps(refs))
    for partition in range(PARTITIONS):
        show(read(refs, partition).read_all())


def read_by_http(url: str, store: str, name: str, token: str | None = None, trust: str | None = None) -> None:
    from blobshuffle import HttpStore, read

    refs = pickle.loads(pathlib.Path(store, f"{name}.refs").read_bytes())
    blobs = HttpStore(url, token, trust=trust)
    for partition in range(PARTITIONS):
        show(read(refs, partition, store=blobs).read_all())


def begin(port: str, name: str, number: int, codec: str):
    options = flight.FlightCallOptions(
        write_options=pa.ipc.IpcWriteOptions(compression=None if codec == "none" else codec)
    )
    client = flight.connect(f"grpc://127.0.0.1:{port}")
    descriptor = flight.FlightDescriptor.for_path("default", name, str(number), "0", str(PARTITIONS))
    return client, *client.do_put(descriptor, SCHEMA, options)


def put(port: str, name: str, codec: str) -> None:
    for number in range(MAPS):
        _client, writer, reader = begin(port, name, number, codec)
        rows = 0
        if number < 2:
            for start in range(number * 150_000, (number + 1) * 150_000, 50_000):
                for partition in range(2):
                    values = range(start + partition, start + 50_000, 2)
                    batch = batch_of(number, values)
                    writer.write_with_metadata(batch, struct.pack("<I", partition))
                    rows += batch.num_rows
        writer.write_metadata(struct.pack("<q", rows))
        writer.done_writing()
        ref = json.loads(reader.read().to_pybytes())
        writer.close()
        assert (ref["map"], ref["rows"]) == (number, rows), ref


def package(port: str, url: str, name: str, codec: str) -> None:
    from blobshuffle import HttpStore, read
    from blobshuffle.flight import FlightWriter

    client = flight.connect(f"grpc://127.0.0.1:{port}")
    refs = []
    for number in range(MAPS):
        with FlightWriter(
            client,
            namespace="default",
            shuffle=name,
            map=number,
            maps=MAPS,
            partitions=PARTITIONS,
            schema=SCHEMA,
            codec=codec,
        ) as writer:
            if number < 2:
                for start in range(number * 150_000, (number + 1) * 150_000, 1_500):
                    values = range(start, start + 1_500)
                    writer.write(batch_of(number, values), [v % 2 for v in values])
            refs.append(writer.commit())
    for partition in range(PARTITIONS):
        show(read(refs, partition, store=HttpStore(url)).read_all())


def abandon(port: str, name: str) -> None:
    # An exception within `with` closes the stream as if the map had ended.
    _client, writer, _reader = begin(port, name, 0, "none")
    with contextlib.suppress(ZeroDivisionError):
        try:
            with writer:
                writer.write_with_metadata(batch_of(0, range(100)), struct.pack("<I", 0))
                raise ZeroDivisionError
        except pa.ArrowInvalid as failure:
            print("ended without the number of rows" in str(failure))
    _client, writer, _reader = begin(port, name, 1, "none")
    try:
        writer.write_with_metadata(batch_of(0, range(100)), struct.pack("<I", PARTITIONS))
        writer.close()
    except pa.ArrowInvalid as failure:
        print("says that there are 3" in str(failure))
    _client, writer, _reader = begin(port, name, 2, "none")
    writer.write_with_metadata(batch_of(0, range(100)), struct.pack("<I", 0))
    sys.stdout.flush()
    os._exit(0)


def read_from(port: str, name: str) -> None:
    client = flight.connect(f"grpc://127.0.0.1:{port}")
    commit = json.dumps({"namespace": "default", "shuffle": name, "maps": MAPS}).encode()
    list(client.do_action(flight.Action("commit", commit)))
    for partition in range(PARTITIONS):
        descriptor = flight.FlightDescriptor.for_path("default", name, str(partition))
        info = client.get_flight_info(descriptor)
        assert info.schema == client.get_schema(descriptor).schema
        table = client.do_get(info.endpoints[0].ticket).read_all()
        table.validate(full=True)
        assert table.num_rows == info.total_records, (table.num_rows, info.total_records)
        show(table)


def flights(port: str, namespace: str, token: str | None = None, trust: str | None = None) -> None:
    roots = pathlib.Path(trust).read_bytes() if trust else None
    client = flight.connect(f"{'grpc+tls' if trust else 'grpc'}://localhost:{port}", tls_root_certs=roots)
    options = flight.FlightCallOptions(headers=[(b"authorization", f"Bearer {token}".encode())] if token else [])
    try:
        for listed in client.list_flights(namespace.encode(), options):
            info = client.get_flight_info(listed.descriptor, options)
            assert listed.schema == info.schema == SCHEMA
            print(*(part.decode() for part in listed.descriptor.path), listed.total_records, info.total_records)
    except flight.FlightUnauthorizedError as failure:
        print("refused" if "the token is for" in str(failure) else failure)


def stop(port: str, store: str, name: str) -> None:
    from blobshuffle import ShuffleWriter

    numbers = pa.record_batch([pa.array(range(1_000_000), pa.int64())], names=["k"])
    with ShuffleWriter(
        store, shuffle=name, map=0, maps=1, partitions=1, codec="none", schema=numbers.schema
    ) as writer:
        for _ in range(8):
            writer.write(numbers, [0] * numbers.num_rows)
        writer.commit()
    client = flight.connect(f"grpc://127.0.0.1:{port}")
    commit = json.dumps({"namespace": "default", "shuffle": name, "maps": 1}).encode()
    list(client.do_action(flight.Action("commit", commit)))
    info = client.get_flight_info(flight.FlightDescriptor.for_path("default", name, "0"))
    stream = client.do_get(info.endpoints[0].ticket)
    print(stream.read_chunk().data.num_rows, flush=True)
    sys.stdin.read()


def show(table: pa.Table) -> None:
    words = sum(int(w[0]) + int(w[2:]) for w in table["word"].to_pylist())
    lengths = sum(len(v) for v in table["view"].to_pylist()) + sum(len(t) for t in table["text"].to_pylist())
    numbers = sum(sum(x) for x in table["list"].to_pylist())
    print(table.num_rows, sum(table["k"].to_pylist()), words, lengths, numbers)


if __name__ == "__main__":
    {"write": write, "read": read_from, "http": read_by_http, "put": put, "package": package, "abandon": abandon, "stop": stop, "flights": flights}[sys.argv[1]](*sys.argv[2:])
