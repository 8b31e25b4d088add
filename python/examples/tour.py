"""A tour of the package in cells, which editors and Jupyter open as a notebook.

    python examples/tour.py

`bench/render_tour.py` runs it and writes docs/guides/python-tour.md with what it prints and plots.
"""

# %% [markdown]
# # A tour of columnar shuffles in Python
#
# Four maps write orders, twenty partitions are read: one blob for each map instead of eighty files.
# The tour shows what a blob holds, how even the partitions are, what the codecs cost, and what
# happens when a byte flips.
#
# [Its code](../../python/examples/tour.py) opens as a notebook. It needs `pip install
# './python[tour]'` and a few seconds.

# %%
import tempfile
import time
from pathlib import Path

import duckdb
import matplotlib.pyplot as plt
import numpy as np
import pyarrow as pa

import blobshuffle
from blobshuffle.cli import main as blobshuffle_py

ROWS, MAPS, PARTITIONS = 500_000, 4, 20
STORE = tempfile.mkdtemp()

# %% [markdown]
# ## Orders
# Each map has orders of 100,000 customers. Few customers order often, as in most shops.


# %%
def orders(number: int) -> pa.RecordBatch:
    """Make the rows of a map."""
    random = np.random.default_rng(number)
    customer = random.zipf(1.2, ROWS) % 100_000
    country = pa.array(["DE", "FR", "IT", "PL"]).dictionary_encode()
    return pa.record_batch(
        {
            "customer": customer,
            "country": pa.DictionaryArray.from_arrays(
                random.integers(0, 4, ROWS, dtype=np.int32), country.dictionary
            ),
            "total": random.integers(100, 100_000, ROWS),
            "note": pa.array([f"order {n % 5000}, please ring" for n in range(ROWS)]),
        }
    )


tables = [orders(number) for number in range(MAPS)]
print(f"{MAPS * ROWS:,} rows, {sum(table.nbytes for table in tables) / 1e6:.0f} MB")

# %% [markdown]
# ## Write
# A map divides its rows by key and writes one blob. `commit` makes it readable and returns a `Ref`,
# which the scheduler passes to the readers.

# %%
shuffle = blobshuffle.new_shuffle("orders")


def write(number: int, attempt: int = 0, **options: str) -> blobshuffle.Ref:
    """Run a map."""
    with blobshuffle.ShuffleWriter(
        STORE,
        shuffle=options.pop("shuffle", shuffle),
        map=number,
        attempt=attempt,
        maps=MAPS,
        partitions=PARTITIONS,
        **options,
    ) as writer:
        writer.write(tables[number], keys=["customer"])
        return writer.commit()


refs = [write(number) for number in range(MAPS)]
for ref in refs:
    print(f"map {ref.map}: {ref.rows:,} rows, {ref.length / 1e6:.1f} MB")

# %% [markdown]
# ## What a blob holds
# `blobshuffle-py inspect` prints the footer. A blob is also an Arrow IPC stream: any Arrow library
# reads it whole, without this package.

# %%
blob = Path(STORE, refs[0].path)
blobshuffle_py(["inspect", str(blob)])
print(pa.ipc.open_stream(blob.read_bytes()).read_all().num_rows, "rows by plain pyarrow")

# %% [markdown]
# ## Read
# A reader streams one partition of all maps. All rows of a customer are in one partition, so each
# can be summed alone.

# %%
sums = []
for partition in range(PARTITIONS):
    rows = blobshuffle.read(refs, partition).read_all()
    sums.append(rows.group_by("customer").aggregate([("total", "sum"), ([], "count_all")]))
found = pa.concat_tables(sums)
assert len(found["customer"].unique()) == len(found)
assert sum(found["count_all"].to_pylist()) == MAPS * ROWS
print(f"{len(found):,} customers, each in one partition")

# %% [markdown]
# One customer in this shop is heavy, and with it its partition. More partitions do not help against
# that: the rows of a key stay together. Split the key, or sum before the shuffle.

# %%
rows = [sum(part["count_all"].to_pylist()) / 1000 for part in sums]
heaviest = [max(part["count_all"].to_pylist()) / 1000 for part in sums]
figure, axes = plt.subplots(figsize=(8, 2.8), layout="constrained")
axes.bar(range(PARTITIONS), rows, color="#9ecae1", label="all its customers")
axes.bar(range(PARTITIONS), heaviest, color="#08519c", label="its largest customer")
axes.set(title="Rows of each partition", xlabel="partition", ylabel="thousand rows")
axes.set_xticks(range(PARTITIONS))
axes.legend()
plt.show()

# %% [markdown]
# ## Codecs
# `lz4` is the default. `zstd` stores less and costs more. `adaptive` compresses a sample with each,
# and takes the one that costs least with this store: a directory is fast, S3 would be slower.

# %%
measured = {}
for codec in ["none", "lz4", "zstd", "adaptive"]:
    name = blobshuffle.new_shuffle(codec)
    begin = time.process_time()
    stored = [write(number, shuffle=name, codec=codec) for number in range(MAPS)]
    written = time.process_time()
    for partition in range(PARTITIONS):
        for _ in blobshuffle.read(stored, partition):
            pass
    done = time.process_time()
    megabytes = sum(ref.length for ref in stored) / 1e6
    write_time, read_time = written - begin, done - written
    measured[codec] = megabytes, write_time, read_time
    print(f"{codec:9s}{megabytes:4.0f} MB, write {write_time:.2f}, read {read_time:.2f} CPU-s")
    blobshuffle.release(STORE, name)

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 2.6), layout="constrained")
sizes, writes, reads = zip(*measured.values(), strict=True)
left.barh(list(measured), sizes, color="#74c476")
left.set(title="Stored, MB")
right.barh(list(measured), writes, color="#08519c", label="write")
right.barh(list(measured), reads, left=writes, color="#9ecae1", label="read")
right.set(title="CPU seconds")
right.legend()
for axes in (left, right):
    axes.invert_yaxis()
plt.show()

# %% [markdown]
# ## A flipped byte
# Every byte is checked before it is decoded. A damaged blob is an error, never other rows.

# %%
damaged = bytearray(blob.read_bytes())
damaged[len(damaged) // 2] ^= 1
blob.write_bytes(damaged)
for partition in range(PARTITIONS):
    try:
        blobshuffle.read(refs, partition).read_all()
    except blobshuffle.BlobCorrupt as failure:
        print(f"partition {partition}: {type(failure).__name__}")

# %% [markdown]
# Run that map again, with the next attempt. The others stay as they are.

# %%
refs[0] = write(0, attempt=1)
print(sum(blobshuffle.read(refs, n).read_all().num_rows for n in range(PARTITIONS)), "rows")

# %% [markdown]
# A map that is missing is an error too, before the first row.

# %%
try:
    blobshuffle.read(refs[1:], 0)
except blobshuffle.IncompleteShuffle as failure:
    print(failure)

# %% [markdown]
# ## SQL
# DuckDB reads a partition as a stream.

# %%
connection = duckdb.connect()
connection.register("part", blobshuffle.read(refs, 7))
query = "select country, count(*) n, sum(total) total from part group by 1 order by 1"
for country, count, total in connection.execute(query).fetchall():
    print(f"{country}  {count:7,} orders  {total / 100:14,.2f} EUR")

# %% [markdown]
# ## Delete
# The blobs go when the shuffle is released. `releasing` does it for you, also when a job fails, and
# with a lease even when it is killed: see [Python](python.md#delete).

# %%
blobshuffle.release(STORE, shuffle)
print(len(list(Path(STORE).rglob("*.blob"))), "blobs left")
