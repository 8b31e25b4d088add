"""Columnar shuffles through blobs: Arrow batches, for Dask and plain Python.

A map writes its rows for all partitions as one blob (`ShuffleWriter`) and passes on a small
`Ref`. A reducer streams one partition from the blobs of all maps (`read`).
"""

from blobshuffle.arrow import Codec
from blobshuffle.directories import Directories
from blobshuffle.failure import (
    BlobCorrupt,
    BlobMissing,
    BlobShuffleError,
    IncompleteShuffle,
    SchemaMismatch,
    StoreUnavailable,
    WorkerLost,
)
from blobshuffle.filesystem import FileSystemStore
from blobshuffle.http import HttpStore
from blobshuffle.keys import partition_ids
from blobshuffle.lifecycle import Abandoned, abandoned, expired, release, release_expired, releasing
from blobshuffle.operations import aggregate, join, sort
from blobshuffle.reader import read
from blobshuffle.ref import Ref, select
from blobshuffle.sizes import Sizes, sizes, split
from blobshuffle.store import LocalStore, Store, new_shuffle, open_store
from blobshuffle.writer import ShuffleWriter

__all__ = [
    "Abandoned",
    "BlobCorrupt",
    "BlobMissing",
    "BlobShuffleError",
    "Codec",
    "Directories",
    "FileSystemStore",
    "HttpStore",
    "IncompleteShuffle",
    "LocalStore",
    "Ref",
    "SchemaMismatch",
    "ShuffleWriter",
    "Sizes",
    "Store",
    "StoreUnavailable",
    "WorkerLost",
    "abandoned",
    "aggregate",
    "expired",
    "join",
    "new_shuffle",
    "open_store",
    "partition_ids",
    "read",
    "release",
    "release_expired",
    "releasing",
    "select",
    "sizes",
    "sort",
    "split",
]
