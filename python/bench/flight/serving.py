"""The cost of serving partitions: the daemon by Flight and HTTP, and Daft's server.

    python serving.py --data DIR [--files 4] [--partitions 100] [--codecs none lz4] [--rounds 6]
        [--warm-up 6] [--systems flight flight-tls http http-tls put daft] [--json FILE]

DIR has the rows that `bench flight` makes. One client reads all partitions of some files, one
after the other, from each server in turn; in the last column, all partitions in one stream.
The first rounds warm up. CPU seconds and rates are for 10^9 bytes of rows in memory.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.flight
import pyarrow.parquet as pq

import blobshuffle

KEY = "l_orderkey"
TOKEN = "0123456789abcdef0123456789abcdef"
COMMAND = Path(__file__).parents[3] / "blobshuffle"
SERVER_GOALS = [
    ("flight", "none", 0.5),
    ("flight", "lz4", 0.25),
    ("http", "none", 0.2),
    ("http", "lz4", 0.2),
]
STREAM_GOALS = [("none", 1.2), ("lz4", 1.8)]
_BATCH_ROWS = 64 << 10
_TICKS = os.sysconf("SC_CLK_TCK")
_flight: Any = pyarrow.flight


class Server(NamedTuple):
    """A process that serves, and how to read from it."""

    pid: int
    partition: Callable[[int], int]
    """Reads a partition; returns its rows."""

    everything: Callable[[], int] | None
    """Reads all in one stream."""


class Cost(NamedTuple):
    """Of one pass over all partitions."""

    server: float
    """Without the compilers of its JVM, if it has one."""

    compilers: float
    client: float
    seconds: float
    stream_seconds: float | None


def cpu_of(pid: int) -> float:
    """Return the CPU seconds of a process with all its threads."""
    return _cpu(Path(f"/proc/{pid}"))


def compilers_of(pid: int) -> float:
    """Return the CPU seconds of the threads that compile, which the JVM must keep."""
    seconds = 0.0
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):  # The thread has ended.
            if "CompilerThre" in (task / "comm").read_text():
                seconds += _cpu(task)
    return seconds


def _cpu(of: Path) -> float:
    fields = (of / "stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def batches(files: list[str]) -> Iterator[pa.RecordBatch]:
    """Read the rows."""
    for file in files:
        yield from pq.ParquetFile(file).iter_batches(_BATCH_ROWS)


class Bench:
    """The rows of some files, and their servers."""

    def __init__(self, files: list[str], partitions: int, directory: Path) -> None:
        """Count the rows."""
        self.files = files
        self.partitions = partitions
        self.directory = directory
        self.rows = sum(batch.num_rows for batch in batches(files))
        self.bytes = sum(batch.nbytes for batch in batches(files))
        self.columns = len(pq.read_schema(files[0]))

    def write(self, codec: Any) -> list[blobshuffle.Ref]:
        """Write a map for each file."""
        refs = []
        for number, file in enumerate(self.files):
            with blobshuffle.ShuffleWriter(
                self.directory / "blobs",
                shuffle=f"rows-{codec}",
                map=number,
                maps=len(self.files),
                partitions=self.partitions,
                codec=codec,
                memory=1 << 30,
            ) as writer:
                for batch in batches([file]):
                    writer.write(batch, keys=[KEY])
                refs.append(writer.commit())
        return refs

    def certificate(self) -> tuple[Path, Path]:
        """Make a certificate for this machine."""
        certificate, key = self.directory / "certificate.pem", self.directory / "key.pem"
        command = (
            f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost "
            f"-addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout {key} -out {certificate}"
        )
        subprocess.run(command.split(), check=True, stderr=subprocess.DEVNULL)
        key.chmod(0o600)
        return certificate, key

    @contextlib.contextmanager
    def daemon(self, has_tls: bool) -> Iterator[tuple[int, str, str]]:
        """Start a daemon; return its process, and where it serves by Flight and by HTTP."""
        options = ["--directory", str(self.directory / "blobs")]
        options += ["--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"]
        if has_tls:
            certificate, key = self.certificate()
            tokens = self.directory / "tokens"
            tokens.write_text(f"default {TOKEN}\n")
            tokens.chmod(0o600)
            options += ["--tls-certificate", str(certificate), "--tls-key", str(key)]
            options += ["--token-file", str(tokens)]
        else:
            options += ["--insecure-loopback", "--http-plain-text"]
        process = subprocess.Popen(
            [COMMAND, "flight", "serve", *options],
            # The CPU time of a compiler thread is lost when the thread ends.
            env={**os.environ, "BLOBSHUFFLE_JAVA_OPTS": "-XX:-UseDynamicNumberOfCompilerThreads"},
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            where = [next(line for line in process.stdout if "Serves" in line) for _ in range(2)]
            http, flight = (line.split()[-1] for line in where)
            yield process.pid, flight, http
        finally:
            process.terminate()
            process.wait()

    def flight(self, pid: int, location: str, codec: str, has_tls: bool) -> Server:
        """Read by Flight."""
        headers = [(b"authorization", f"Bearer {TOKEN}".encode())] if has_tls else []
        options = _flight.FlightCallOptions(headers=headers)
        trust: dict[str, Any] = {}
        if has_tls:
            trust["tls_root_certs"] = (self.directory / "certificate.pem").read_bytes()
        client = _flight.FlightClient(location.replace("+tcp", ""), **trust)
        name = f"rows-{codec}"
        body = {"namespace": "default", "shuffle": name, "maps": len(self.files)}
        list(client.do_action(_flight.Action("commit", json.dumps(body).encode()), options))

        def read(partitions: str) -> int:
            descriptor = _flight.FlightDescriptor.for_path("default", name, partitions)
            info = client.get_flight_info(descriptor, options)
            return self.count(client.do_get(info.endpoints[0].ticket, options))

        everything = f"0-{self.partitions}"
        return Server(pid, lambda number: read(str(number)), lambda: read(everything))

    def http(self, pid: int, location: str, refs: list[blobshuffle.Ref], has_tls: bool) -> Server:
        """Read by HTTP."""
        trust = str(self.directory / "certificate.pem") if has_tls else None
        store = blobshuffle.HttpStore(
            f"{location}/default", TOKEN if has_tls else None, trust=trust
        )

        def read(partition: int) -> int:
            return sum(batch.num_rows for batch in blobshuffle.read(refs, partition, store=store))

        return Server(pid, read, None)

    def put(self, pid: int, location: str, codec: str) -> Callable[[int], Cost]:
        """Put the rows of all files, by partitions that are divided before."""
        client = _flight.FlightClient(location.replace("+tcp", ""))
        write = pa.ipc.IpcWriteOptions(compression=None if codec == "none" else codec)
        options = _flight.FlightCallOptions(write_options=write)
        refs = self.write("none")
        parts = [
            (partition, batch)
            for partition in range(self.partitions)
            for batch in blobshuffle.read(refs, partition)
        ]

        def once(number: int) -> Cost:
            begin = self.now(pid)
            path = ("default", f"put-{codec}", "0", str(number), str(self.partitions))
            descriptor = _flight.FlightDescriptor.for_path(*path)
            writer, answers = client.do_put(descriptor, parts[0][1].schema, options)
            for partition, batch in parts:
                writer.write_with_metadata(batch, struct.pack("<I", partition))
            writer.write_metadata(struct.pack("<q", self.rows))
            writer.done_writing()
            answer = json.loads(answers.read().to_pybytes())
            writer.close()
            if answer["rows"] != self.rows:
                raise AssertionError(f"{answer['rows']} rows of {self.rows} were put")
            cost = self.since(begin, pid)
            body = json.dumps({"namespace": "default", "shuffle": f"put-{codec}"}).encode()
            list(client.do_action(_flight.Action("release", body)))
            return cost

        return once

    def read(self, server: Server) -> Cost:
        """Read all partitions, then all in one stream."""
        before = self.now(server.pid)
        self.check(sum(server.partition(number) for number in range(self.partitions)))
        cost = self.since(before, server.pid)
        if server.everything is None:
            return cost
        begin = time.monotonic()
        self.check(server.everything())
        return cost._replace(stream_seconds=(time.monotonic() - begin) * 1e9 / self.bytes)

    def check(self, rows: int) -> None:
        """Require that all rows came."""
        if rows != self.rows:
            raise AssertionError(f"{rows} rows of {self.rows} came")

    def count(self, reader: Any) -> int:
        """Read a stream of all columns as it comes."""
        rows = 0
        with contextlib.suppress(StopIteration):
            while True:
                batch = reader.read_chunk().data
                if batch is not None:
                    rows += batch.num_rows
                    if batch.num_columns != self.columns:
                        raise AssertionError(f"{batch.num_columns} columns came")
        return rows

    def now(self, pid: int) -> Cost:
        """Return the use so far."""
        compilers = compilers_of(pid)
        server = cpu_of(pid) - compilers
        return Cost(server, compilers, time.process_time(), time.monotonic(), None)

    def since(self, before: Cost, pid: int) -> Cost:
        """Return the use since then, for 10^9 bytes."""
        now = self.now(pid)
        scale = 1e9 / self.bytes
        return Cost(
            (now.server - before.server) * scale,
            (now.compilers - before.compilers) * scale,
            (now.client - before.client) * scale,
            (now.seconds - before.seconds) * scale,
            None,
        )


def _spy(log: str) -> Callable[[], None]:
    """Return a hook that has Daft's workers record the partitions that they serve."""

    def hook() -> None:
        import daft.runners.flotilla as flotilla

        kept = flotilla.FlightPartitions

        def noted(refs: Any) -> Any:
            served = [(ref.shuffle_id, ref.server_address, ref.partition_ref_id) for ref in refs]
            with open(log, "a") as file:
                print(json.dumps([os.getpid(), served]), file=file)
            return kept(refs)

        flotilla.FlightPartitions = noted

    return hook


def daft(bench: Bench, codec: str) -> Server:
    """Have Daft write its maps, fail afterwards, and go on serving them."""
    import daft as engine

    log = bench.directory / "daft.log"
    log.unlink(missing_ok=True)
    engine.context.set_execution_config(
        shuffle_algorithm="flight_shuffle",
        flight_shuffle_dirs=[str(bench.directory / "daft")],
        flight_shuffle_compression=codec,
        enable_scan_task_split_and_merge=False,
    )

    @engine.udf(return_dtype=engine.DataType.int64())
    def fail(_: Any) -> Any:
        raise ValueError("the maps have ended")

    rows = engine.read_parquet(bench.files).repartition(bench.partitions, KEY)
    with contextlib.suppress(Exception):
        # With all columns, or the scan would leave them out.
        rows.with_column("failure", fail(engine.col(KEY))).collect()
    maps = [json.loads(line) for line in log.read_text().splitlines()]
    if any(len(served) != bench.partitions for _, served in maps) or len({m[0] for m in maps}) != 1:
        raise AssertionError(f"Daft serves {[len(served) for _, served in maps]} partitions")
    pid, served = maps[0]
    shuffle, address, _ = served[0]
    client = _flight.FlightClient(address.replace("http://", "grpc://"))

    def read(numbers: range) -> int:
        refs = [str(served[number][2]) for number in numbers for _, served in maps]
        return bench.count(client.do_get(_flight.Ticket(f"{shuffle}:{','.join(refs)}".encode())))

    return Server(
        pid, lambda number: read(range(number, number + 1)), lambda: read(range(bench.partitions))
    )


def measure(options: argparse.Namespace, directory: Path) -> list[dict[str, Any]]:
    """Run all rounds; return a row for each system and codec."""
    files = sorted(str(path) for path in options.data.glob("*.parquet"))[: options.files]
    bench = Bench(files, options.partitions, directory)
    found: dict[tuple[str, str], list[Cost]] = {}
    with contextlib.ExitStack() as stack:
        refs = {codec: bench.write(codec) for codec in options.codecs}
        systems: dict[tuple[str, str], Callable[[int], Cost]] = {}
        daemons = {tls: stack.enter_context(bench.daemon(tls)) for tls in (False, True)}
        if "daft" in options.systems:
            import daft as engine
            import ray

            hook = _spy(str(directory / "daft.log"))
            ray.init(
                num_cpus=2,
                include_dashboard=False,
                object_store_memory=1 << 30,
                runtime_env={"worker_process_setup_hook": hook},
            )
            engine.set_runner_ray(noop_if_initialized=True)
        for codec in options.codecs:
            for has_tls, (pid, flight, http) in daemons.items():
                end = "-tls" if has_tls else ""
                servers = {
                    f"flight{end}": bench.flight(pid, flight, codec, has_tls),
                    f"http{end}": bench.http(pid, http, refs[codec], has_tls),
                }
                for name, server in servers.items():
                    systems[name, codec] = lambda _, server=server: bench.read(server)
            systems["put", codec] = bench.put(*daemons[False][:2], codec)
            if "daft" in options.systems:
                server = daft(bench, codec)
                systems["daft", codec] = lambda _, server=server: bench.read(server)
        for number in range(options.warm_up + options.rounds):
            for key, system in systems.items():
                if key[0] in options.systems:
                    cost = system(number)
                    print(f"round {number}: {' '.join(key)} {cost}", file=sys.stderr)
                    if number >= options.warm_up:
                        found.setdefault(key, []).append(cost)
    return [row(key, costs) for key, costs in found.items()]


def row(key: tuple[str, str], costs: list[Cost]) -> dict[str, Any]:
    """Return medians, least and most."""
    values: dict[str, Any] = {"system": key[0], "codec": key[1], "runs": len(costs)}
    for name in Cost._fields:
        of = [getattr(cost, name) for cost in costs if getattr(cost, name) is not None]
        if of:
            values[f"{name}_per_gb"] = [statistics.median(of), min(of), max(of)]
    return values


def table(rows: list[dict[str, Any]]) -> str:
    """Return the rows as Markdown."""
    lines = [
        "| system | codec | server CPU-s per GB | its compilers | client CPU-s per GB | MB/s "
        "| one stream MB/s |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in sorted(rows, key=lambda one: (one["codec"], one["system"])):
        median, least, most = one["server_per_gb"]
        stream = one.get("stream_seconds_per_gb")
        cells = [
            one["system"],
            one["codec"],
            f"{median:.2f} ({least:.2f}-{most:.2f})",
            f"{one['compilers_per_gb'][0]:.2f}",
            f"{one['client_per_gb'][0]:.2f}",
            f"{1000 / one['seconds_per_gb'][0]:.0f}",
            f"{1000 / stream[0]:.0f}" if stream else "",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def goals(rows: list[dict[str, Any]]) -> list[str]:
    """Return a line for each goal: at most so many CPU seconds, at least so fast a stream."""
    found = {(one["system"], one["codec"]): one for one in rows}
    lines = []

    def compare(is_met: bool, what: str, value: float, goal: str) -> None:
        lines.append(f"{'met   ' if is_met else 'MISSED'} {what}: {value:.2f}, goal {goal}")

    for system, codec, most in SERVER_GOALS:
        if one := found.get((system, codec)):
            value = one["server_per_gb"][0]
            what = f"{system}, {codec}: server CPU-s per GB"
            compare(value <= most, what, value, f"at most {most}")
    for codec, least in STREAM_GOALS:
        ours, daft = found.get(("flight", codec)), found.get(("daft", codec))
        if ours and daft:
            value = daft["stream_seconds_per_gb"][0] / ours["stream_seconds_per_gb"][0]
            what = f"flight, {codec}: one stream, as a multiple of Daft's"
            compare(value >= least, what, value, f"at least {least}")
    return lines


def main() -> None:
    """Measure, print a table and write the numbers."""
    names = ["flight", "flight-tls", "http", "http-tls", "put", "daft"]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--files", type=int, default=4)
    parser.add_argument("--partitions", type=int, default=100)
    parser.add_argument("--codecs", nargs="+", default=["none", "lz4"])
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--warm-up", type=int, default=6)
    parser.add_argument("--systems", nargs="+", choices=names, default=names)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    directory = Path(tempfile.mkdtemp(prefix="serving-"))
    try:
        rows = measure(options, directory)
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    print(table(rows), "", *goals(rows), sep="\n")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
