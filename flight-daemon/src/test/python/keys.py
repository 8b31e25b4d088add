"""Rows that programs in other languages place by key, compared with the Python package.

keys.py write STORE NAME PARTITIONS TYPES: stores a shuffle with a column for each type, all rows in
partition 0. TYPES is `all`, or `java` without those that arrow-java lacks. Prints sets of key
columns, one a line, with commas between them. keys.py check PORT NAME SHUFFLE PARTITIONS: the
shuffle SHUFFLE-n has the rows of NAME where the package places them by the n-th set of keys.
"""

import datetime
import decimal
import sys

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.flight as flight

BYTES = [b"", b"\0", b"\0\0", b"customer", b"customer-1", "äöü€".encode(), b"x" * 40, b"12345678"]
TEXTS = [value.decode() for value in BYTES]
LEAST, GREATEST = -(1 << 63), (1 << 63) - 1
TIMES = [0, 1, -1, 1_767_225_600, GREATEST // 1_000_000_000, -7, 86_399, 3]
FLOATS = [0.0, -0.0, 1.0, -1.5, float("nan"), float("inf"), 0.1, 65504.0]
LONG = [*FLOATS[:5], float(1 << 63), float(1 << 64), -5e-324]
DAYS = [0, 1, -1, 20_454, 2_932_896, -719_162, 59, 365]


def integers(bits: int, signed: bool) -> pa.Array:
    least, end = (-(1 << bits - 1), 1 << bits - 1) if signed else (0, 1 << bits)
    values = [0, 1, least, end - 1, 7, 42, least + 1, end - 2]
    return pa.array(values, getattr(pa, f"{'' if signed else 'u'}int{bits}")())


def decimals(of: pa.DataType, *values: str) -> pa.Array:
    return pa.array([decimal.Decimal(value) for value in values], of)


def times(values: list[int], of: pa.DataType) -> pa.Array:
    width = pa.int32() if of.bit_width == 32 else pa.int64()
    return pa.array(values, width).view(of)


def columns(types: str) -> dict[str, pa.Array]:
    day = [value % 86_400 for value in TIMES]
    made = {
        "null": pa.nulls(8),
        "boolean": pa.array([True, False] * 4),
        **{f"int{bits}": integers(bits, True) for bits in (8, 16, 32, 64)},
        **{f"uint{bits}": integers(bits, False) for bits in (8, 16, 32, 64)},
        "float16": pa.array(FLOATS, pa.float32()).cast(pa.float16()),
        "float32": pa.array(FLOATS, pa.float32()),
        "float64": pa.array(LONG),
        "decimal128": decimals(pa.decimal128(38, 3), "0", "1", "-1.5", "7", "0.1", "0.125", f"{1 << 64}", "-12.340"),
        "decimal256": decimals(pa.decimal256(60, 21), "0", "1", "-1.5", "7", f"0.{1:021}", "1e30", f"{1 << 63}.5", "-0.10"),
        "tens": decimals(pa.decimal128(38, 0), "0", "1", "-2", "7", f"{1 << 63}", f"{LEAST}", f"{LEAST - 1}", "9" * 38),
        "string": pa.array(TEXTS),
        "large_string": pa.array(TEXTS, pa.large_string()),
        "binary": pa.array(BYTES),
        "large_binary": pa.array(BYTES, pa.large_binary()),
        "fixed": pa.array([f"{n:09}".encode() for n in range(8)], pa.binary(9)),
        "date32": times(DAYS, pa.date32()),
        "date64": times([86_400_000 * each for each in DAYS], pa.date64()),
        "time32s": times(day, pa.time32("s")),
        "time32ms": times(day, pa.time32("ms")),
        "time64us": times(day, pa.time64("us")),
        "time64ns": times(day, pa.time64("ns")),
        **{f"timestamp_{unit}": times(TIMES, pa.timestamp(unit)) for unit in ("s", "ms", "us", "ns")},
        **{f"zoned_{unit}": times(TIMES, pa.timestamp(unit, "Europe/Berlin")) for unit in ("s", "ns")},
        "longest": times([LEAST, GREATEST, 1 << 62, 3, 4, 5, 6, 7], pa.timestamp("s")),
        **{f"duration_{unit}": times(TIMES, pa.duration(unit)) for unit in ("s", "ms", "us", "ns")},
        "dictionary": pa.array(TEXTS).dictionary_encode(),
        "days": pa.array([datetime.date(2026, 1, 1 + n) for n in range(8)]).dictionary_encode(),
        "bool8": pa.ExtensionArray.from_storage(pa.bool8(), pa.array([0, 1, 2, -1] * 2, pa.int8())),
        "uuid": pa.ExtensionArray.from_storage(
            pa.uuid(), pa.array([bytes([n] * 16) for n in range(8)], pa.binary(16))
        ),
    }
    if types == "all":
        short = ("0", "1", "-1.5", "7", "0.1", "0.12", "1.10", "-1234567.89")
        made["decimal32"] = decimals(pa.decimal32(9, 2), *short)
        made["decimal64"] = decimals(pa.decimal64(18, 2), *short)
        made["runs"] = pa.array(TEXTS[:4]).take(pa.array([0, 0, 1, 1, 2, 2, 3, 3]))
    return made


def nullable(name: str, values: pa.Array) -> pa.Array:
    """Repeat values with nulls between them."""
    taken = values.take(pa.array([0, None, 1, 2, None, 3, 4, 5, 6, 7, 1, 0, None] * 10, pa.int32()))
    # Dictionaries whose values have nulls too.
    return taken.cast(pa.string()).dictionary_encode("encode") if name == "dictionary" else taken


def table(types: str) -> pa.RecordBatch:
    made = {name: nullable(name, values) for name, values in columns(types).items()}
    # Arrow cannot take views.
    for name in ("string", "binary"):
        view = getattr(pa, f"{name}_view")()
        made[f"{name}_view"] = pa.array(made[name].to_pylist(), view)
    if "runs" in made:
        made["runs"] = pc.run_end_encode(made["runs"])
    return pa.record_batch({"row": pa.array(range(130)), **made})


def write(store: str, name: str, partitions: str, types: str) -> None:
    from blobshuffle import ShuffleWriter

    batch = table(types)
    with ShuffleWriter(store, shuffle=name, map=0, maps=1, partitions=int(partitions)) as writer:
        writer.write(batch, [0] * batch.num_rows)
        writer.commit()
    print("int64,string,decimal128", "null,dictionary,zoned_s", *batch.schema.names[1:], sep="\n")


def rows_of(client: flight.FlightClient, shuffle: str, partition: int) -> pa.Table:
    descriptor = flight.FlightDescriptor.for_path("default", shuffle, str(partition))
    return client.do_get(client.get_flight_info(descriptor).endpoints[0].ticket).read_all()


def plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return values that Arrow can take and compare: a NaN differs from itself."""
    if pa.types.is_floating(column.type):
        return column.cast(pa.float64()).cast(pa.string())
    if pa.types.is_dictionary(column.type):
        return column.cast(column.type.value_type)
    if pa.types.is_run_end_encoded(column.type):
        return pc.run_end_decode(column)
    views = {pa.string_view(): pa.string(), pa.binary_view(): pa.binary()}
    return column.cast(views.get(column.type, column.type))


def check(port: str, name: str, shuffle: str, partitions: str, *key_sets: str) -> None:
    from blobshuffle import partition_ids

    client = flight.connect(f"grpc://127.0.0.1:{port}")
    source = rows_of(client, name, 0)
    for number, keys in enumerate(key_sets):
        expected = partition_ids(source, keys.split(","), int(partitions)).to_pylist()
        places = {}
        for partition in range(int(partitions)):
            part = rows_of(client, f"{shuffle}-{number}", partition)
            part.validate(full=True)
            places |= dict.fromkeys(part["row"].to_pylist(), partition)
            assert part.schema == source.schema, part.schema
            for name in part.schema.names:
                written = plain(source[name]).take(part["row"])
                assert plain(part[name]).equals(written), (keys, name)
        assert places == dict(enumerate(expected)), (keys, places, expected)
    print(len(key_sets))


if __name__ == "__main__":
    {"write": write, "check": check}[sys.argv[1]](*sys.argv[2:])
