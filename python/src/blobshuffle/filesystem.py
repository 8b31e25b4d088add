"""Blobs in any file system of pyarrow: S3, Google Cloud Storage, Azure, HDFS, fsspec."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pyarrow as pa
import pyarrow.fs as pafs

from blobshuffle.container import Source
from blobshuffle.failure import StoreUnavailable
from blobshuffle.store import TEMPORARY, Entry, Store, Upload, missing

READ_AHEAD = 4
"""Blobs of object stores that a reader requests before it needs them."""

# An upload to these appears when it is complete, under its own name.
_ATOMIC = frozenset({"s3", "gcs", "abfs"})
_S3_OPTIONS = frozenset({"region", "scheme", "endpoint_override"})


class FileSystemStore(Store):
    """A directory of a `pyarrow.fs.FileSystem`, or a prefix of a bucket.

    `root` is as the file system writes it: `bucket/prefix` for S3. `location` is the URI by which
    readers open it themselves, without credentials; without it, pass the store to `read`.
    Pickling the store pickles the file system, with the credentials that it was made with.
    """

    def __init__(
        self, filesystem: pafs.FileSystem, root: str, *, location: str | None = None
    ) -> None:
        self._filesystem: Any = filesystem
        self._root = root.rstrip("/")
        self._location = location

    @property
    def location(self) -> str | None:
        """The URI, or None."""
        return self._location

    @property
    def read_ahead(self) -> int:
        """Blobs to request early."""
        return READ_AHEAD if self._filesystem.type_name in _ATOMIC else 0

    def create(self, path: str) -> Upload:
        """Begin a blob: as an upload, or under a temporary name that a move replaces."""
        full = f"{self._root}/{path}"
        if self._filesystem.type_name in _ATOMIC:
            return _StreamUpload(self._filesystem, full, full)
        with _failing(f"write blob {full}"):
            self._filesystem.create_dir(full.rpartition("/")[0], recursive=True)
        return _StreamUpload(self._filesystem, full + TEMPORARY, full)

    def open(self, path: str) -> Source:
        """Open a blob."""
        return _StreamSource(self._filesystem, f"{self._root}/{path}")

    def list(self, prefix: str) -> Iterator[Entry]:
        """Return the files below a directory."""
        selector = pafs.FileSelector(f"{self._root}/{prefix}", recursive=True, allow_not_found=True)
        with _failing(f"list {self._root}/{prefix}"):
            found = self._filesystem.get_file_info(selector)
        for info in found:
            if info.type == pafs.FileType.File:
                path = info.path.removeprefix(self._root).lstrip("/")
                yield Entry(path, info.size, info.mtime_ns / 1e9 if info.mtime_ns else 0.0)

    def delete(self, path: str) -> None:
        """Delete a file, or a directory with all files."""
        full = f"{self._root}/{path}"
        with _failing(f"delete {full}"), contextlib.suppress(FileNotFoundError):
            kind = self._filesystem.get_file_info(full).type
            if kind == pafs.FileType.Directory:
                self._filesystem.delete_dir(full)
            elif kind == pafs.FileType.File:
                self._filesystem.delete_file(full)


@contextlib.contextmanager
def _failing(action: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise
    except (OSError, pa.ArrowException) as failure:
        raise StoreUnavailable(
            f"Cannot {action}: {failure}. Check the connection, rights and space, and retry."
        ) from failure


class _StreamUpload(Upload):
    def __init__(self, filesystem: Any, temporary: str, path: str) -> None:
        self._filesystem = filesystem
        self._temporary = temporary
        self._path = path
        self._written = 0
        self._is_committed = False
        with self._failing():
            self._stream = filesystem.open_output_stream(temporary, compression=None)

    def write(self, data: bytes | pa.Buffer) -> None:
        with self._failing():
            self._stream.write(data)
        self._written += len(memoryview(data))

    def commit(self) -> None:
        with self._failing():
            self._stream.close()
            info = self._filesystem.get_file_info(self._temporary)
            if info.size != self._written:
                raise OSError(f"it has {info.size} bytes, and {self._written} were written")
            if self._temporary != self._path:
                self._filesystem.move(self._temporary, self._path)
        self._is_committed = True

    def abort(self) -> None:
        if self._is_committed:
            return
        # A stream of pyarrow cannot be abandoned: close stores its bytes, and the next call deletes
        # them. No ref leads to them meanwhile, and they have no footer.
        with contextlib.suppress(OSError, pa.ArrowException):
            self._stream.close()
        with contextlib.suppress(OSError, pa.ArrowException):
            self._filesystem.delete_file(self._temporary)

    @contextlib.contextmanager
    def _failing(self) -> Iterator[None]:
        try:
            with _failing(f"write blob {self._path}"):
                yield
        except FileNotFoundError as failure:
            raise StoreUnavailable(
                f"Cannot write blob {self._path}: {failure}. Make the bucket or directory first."
            ) from failure


class _StreamSource(Source):
    def __init__(self, filesystem: Any, path: str) -> None:
        self._path = path
        with self._failing():
            self._file = filesystem.open_input_file(path)
            self.length = self._file.size()

    def read(self, offset: int, length: int) -> bytes:
        with self._failing():
            return self._file.read_at(length, offset)

    def close(self) -> None:
        self._file.close()

    @contextlib.contextmanager
    def _failing(self) -> Iterator[None]:
        try:
            with _failing(f"read blob {self._path}"):
                yield
        except FileNotFoundError as failure:
            raise missing(self._path) from failure


def from_uri(uri: str) -> FileSystemStore:
    """Open the store of a URI of pyarrow: `s3://`, `gs://`, `abfss://`, `hdfs://`.

    Raises `ValueError` for a URI with credentials, which refs and logs would spread, or one that
    pyarrow cannot open.
    """
    parts = urlsplit(uri)
    options = dict(parse_qsl(parts.query))
    has_user = parts.scheme == "s3" and parts.username is not None
    if has_user or parts.password is not None or "sig" in options:
        raise ValueError(
            f"Cannot open the {parts.scheme} store: its URI has credentials, which would be in "
            "every ref. Set them in the environment, or pass FileSystemStore(filesystem, root)."
        )
    if parts.scheme == "s3":
        return FileSystemStore(_s3(options), f"{parts.netloc}{parts.path}", location=uri)
    try:
        filesystem, root = pafs.FileSystem.from_uri(uri)
    except (pa.ArrowException, OSError) as failure:
        raise ValueError(
            f"Cannot open store {uri!r}: {failure}. Name a directory, or a URI that pyarrow.fs "
            "knows."
        ) from failure
    return FileSystemStore(filesystem, root, location=uri)


def _s3(options: dict[str, str]) -> pafs.FileSystem:
    unknown = sorted(options.keys() - _S3_OPTIONS)
    if unknown:
        raise ValueError(
            f"Cannot open the S3 store: {', '.join(unknown)} is no parameter. Known are "
            f"{', '.join(sorted(_S3_OPTIONS))}."
        )
    # Writes in the background have no limit: a slow store would fill the memory.
    arguments: dict[str, Any] = {**options, "background_writes": False}
    return pafs.S3FileSystem(**arguments)
