"""The command `blobshuffle-py`: inspects, verifies and deletes blobs, and plans shuffles."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Sequence
from importlib.metadata import version

from blobshuffle import inspection, planning
from blobshuffle.container import Source
from blobshuffle.failure import BlobCorrupt, BlobShuffleError
from blobshuffle.lifecycle import abandoned, expired, release
from blobshuffle.store import LocalStore, Store, open_store

_STORE = "a directory, several by repeating the option, or a URI"
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return 0, 1 if a blob is damaged, 2 if the command could not run.

    `arguments` are by default those of the process.
    """
    options = _parser().parse_args(arguments)
    try:
        return options.run(options)
    except BlobCorrupt as failure:
        print(f"blobshuffle-py: {failure}", file=sys.stderr)
        return 1
    except (BlobShuffleError, ValueError) as failure:
        print(f"blobshuffle-py: {failure}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader of the output, such as head, has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="blobshuffle-py", description=__doc__)
    parser.add_argument("--version", action="version", version=f"%(prog)s {version('blobshuffle')}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    inspect = commands.add_parser("inspect", help="print what a blob says about itself, as JSON")
    inspect.add_argument("blob", help="a file, or with --store a path below the store")
    inspect.add_argument("--store", action="append", help=f"{_STORE} such as s3://bucket/prefix")
    inspect.add_argument("--segments", action="store_true", help="a line for each segment as well")
    inspect.set_defaults(run=_inspect)
    verify = commands.add_parser(
        "verify", help="read blobs whole and check every checksum, frame and row count"
    )
    verify.add_argument("--store", required=True, action="append", help=_STORE)
    verify.add_argument("--shuffle", help="only blobs of this shuffle")
    verify.set_defaults(run=_verify)
    gc = commands.add_parser("gc", help="list the shuffles that jobs left, and delete them")
    gc.add_argument("--store", required=True, action="append", help=_STORE)
    gc.add_argument(
        "--older-than",
        type=_duration,
        metavar="DURATION",
        help="also those without a lease that were last written so long ago, such as 36h or 2d: "
        "longer than any job takes. Without it, only those whose lease has expired",
    )
    gc.add_argument("--delete", action="store_true", help="delete them; without it, only list them")
    gc.set_defaults(run=_gc)
    plan = commands.add_parser(
        "plan", help="advise partitions, codec and directories, from a measurement of some seconds"
    )
    plan.add_argument("--bytes", required=True, type=_size, help="rows of the shuffle: 500GB, 2TiB")
    plan.add_argument("--maps", type=_count, help="how many maps the shuffle has")
    plan.add_argument("--partitions", type=_count, help="how many partitions it has, if decided")
    plan.add_argument(
        "--directory", action="append", default=[], help="where blobs may be; repeat for each disk"
    )
    plan.add_argument(
        "--sample", help="a Parquet or Arrow file with rows like those of the shuffle"
    )
    plan.set_defaults(run=_plan)
    return parser


def _size(text: str) -> int:
    try:
        return planning.size(text)
    except ValueError as failure:
        raise argparse.ArgumentTypeError(str(failure)) from None


def _count(text: str) -> int:
    if not re.fullmatch(r"[1-9]\d{0,8}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1")
    return int(text)


def _duration(text: str) -> float:
    found = re.fullmatch(r"(\d{1,9})([smhd])", text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} is no duration such as 90s, 30m, 36h or 2d")
    return int(found.group(1)) * _SECONDS[found.group(2)]


def _store(options: argparse.Namespace) -> Store:
    return open_store(options.store[0] if len(options.store) == 1 else options.store)


def _existing(options: argparse.Namespace) -> Store:
    """Return the store. A directory that is not there has no blobs, as one with a slip has none."""
    store = _store(options)
    directories = [each.removeprefix("file://") for each in options.store]
    absent = [each for each in directories if "://" not in each and not os.path.isdir(each)]
    if absent:
        raise ValueError(f"Cannot open store {absent[0]!r}: there is no such directory.")
    return store


def _open(options: argparse.Namespace) -> Source:
    if options.store is None:
        directory, name = os.path.split(os.path.abspath(options.blob))
        return LocalStore(directory).open(name)
    return _store(options).open(options.blob)


def _inspect(options: argparse.Namespace) -> int:
    source = _open(options)
    try:
        print(json.dumps(inspection.describe(source), indent=2))
        if options.segments:
            for segment in inspection.segments(source):
                print(json.dumps(segment))
    finally:
        source.close()
    return 0


def _verify(options: argparse.Namespace) -> int:
    blobs = rows = damaged = 0
    for outcome in inspection.verify_shuffles(_existing(options), options.shuffle):
        blobs += 1
        rows += outcome.rows or 0
        if outcome.failure:
            damaged += 1
            print(f"{outcome.path}: {outcome.failure}")
    print(f"{blobs} blobs, {rows} rows, {damaged} damaged")
    if options.shuffle is not None and not blobs:
        raise ValueError(
            f"Cannot verify shuffle {options.shuffle!r}: it has no committed blob in this store."
        )
    return 1 if damaged else 0


def _gc(options: argparse.Namespace) -> int:
    store = _existing(options)
    found = expired(store)
    if options.older_than is not None:
        found += abandoned(store, options.older_than)
    for shuffle in found:
        print(f"{shuffle.shuffle}: {shuffle.blobs} blobs, {shuffle.bytes} bytes")
        if options.delete:
            release(store, shuffle.shuffle)
    done = "deleted" if options.delete else "found; delete them with --delete"
    print(f"{len(found)} shuffles, {sum(shuffle.bytes for shuffle in found)} bytes {done}")
    return 0


def _plan(options: argparse.Namespace) -> int:
    measured = planning.measure(options.directory, options.sample)
    advice = planning.advise(options.bytes, options.maps, options.partitions, measured)
    print("\n".join(advice))
    return 0


if __name__ == "__main__":
    sys.exit(main())
