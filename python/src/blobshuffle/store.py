"""The place of blobs: a directory that all processes reach, or an object store."""

from __future__ import annotations

import abc
import contextlib
import functools
import os
import re
import secrets
import shutil
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Union

import pyarrow as pa

from blobshuffle.container import Source
from blobshuffle.failure import BlobMissing, StoreUnavailable

SHUFFLES = "shuffles"
"""The directory below the store that has a directory for each shuffle."""

TEMPORARY = ".tmp"
"""The end of the name of a blob that is not committed, in a directory."""

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}")


def new_shuffle(prefix: str = "shuffle") -> str:
    """Return a name that no other shuffle has: `prefix`, a hyphen and 128 random bits in hex."""
    return checked_name(f"{prefix}-{secrets.token_hex(16)}")


def checked_name(shuffle: str) -> str:
    """Return a shuffle's name, or raise `ValueError` if it cannot be part of a path."""
    if not _NAME.fullmatch(shuffle) or shuffle.endswith(TEMPORARY):
        raise ValueError(
            f"Cannot name a shuffle {shuffle!r}: legal are 1 to 128 letters, digits, '.', '_' and "
            f"'-', not starting with '.' or '-', nor ending with '{TEMPORARY}'."
        )
    return shuffle


class Entry(NamedTuple):
    """A stored path, below the store: its size in bytes, and when it last changed.

    `modified` is in seconds since the Unix epoch, by the store's clock.
    """

    path: str
    size: int
    modified: float


class Upload(abc.ABC):
    """A blob that is being written. It has its name only after `commit`. Owned by one thread."""

    @property
    def location(self) -> str | None:
        """The argument of `open_store` for a store with several places; else None."""
        return None

    @abc.abstractmethod
    def write(self, data: bytes | pa.Buffer) -> None:
        """Append bytes. Raises `StoreUnavailable` if the store does not take them."""

    @abc.abstractmethod
    def commit(self) -> None:
        """Make the blob readable under its path, whole."""

    @abc.abstractmethod
    def abort(self) -> None:
        """Remove the written bytes. Never raises; without effect after `commit`."""


class Store(abc.ABC):
    """Takes blobs under paths, and returns ranges of them. Thread-safe and picklable."""

    @property
    @abc.abstractmethod
    def location(self) -> str | None:
        """The argument by which `open_store` opens it, without credentials, or None."""

    @property
    def spill_directory(self) -> str | None:
        """A local directory for rows that do not fit in memory; None for the system's."""
        return None

    @property
    def spill_directories(self) -> Sequence[str | None]:
        """Directories for rows that do not fit in memory, in the order in which to try them."""
        return [self.spill_directory]

    @property
    def attempts(self) -> int:
        """Number of times that a writer begins a blob before it gives up: once for each place."""
        return 1

    def leave(self, directory: str, reason: str) -> None:  # noqa: B027
        """Note that a directory failed. Without effect in a store of one place."""

    def at(self, location: str | None) -> Store:
        """Return the store of the place that a ref names, or this one."""
        return self

    @property
    def read_ahead(self) -> int:
        """How many blobs a reader requests before it needs them: 0 if a request costs no time."""
        return 0

    @abc.abstractmethod
    def create(self, path: str) -> Upload:
        """Begin a blob."""

    @abc.abstractmethod
    def open(self, path: str) -> Source:
        """Open a blob. Raises `BlobMissing` if it is not there."""

    @abc.abstractmethod
    def list(self, prefix: str) -> Iterator[Entry]:
        """Return the entries below a directory, in any order; nothing if it does not exist."""

    @abc.abstractmethod
    def delete(self, path: str) -> None:
        """Delete a blob, or a directory with its content. Without effect if it is not there."""


StoreLike = Union[Store, str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]]
"""The places that `open_store` accepts."""


class LocalStore(Store):
    """A directory of this machine, or of a file system that all machines mount."""

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        """Name the directory. Raises `ValueError` for an empty name, as of an unset variable."""
        require_name(directory)
        self._root = Path(directory).absolute()

    @property
    def location(self) -> str:
        """The directory, absolute."""
        return str(self._root)

    @property
    def spill_directory(self) -> str:
        """The directory of the shuffles, which is made if needed."""
        directory = self._root / SHUFFLES
        with _failing(f"make directory {directory}"):
            directory.mkdir(parents=True, exist_ok=True)
        return str(directory)

    def create(self, path: str) -> Upload:
        """Begin a blob under a temporary name."""
        return _FileUpload(self._root / path)

    def open(self, path: str) -> Source:
        """Open a blob."""
        return _FileSource(f"{self._root}/{path}")

    def list(self, prefix: str) -> Iterator[Entry]:
        """Return the files below a directory."""
        for directory, _, names in os.walk(self._root / prefix):
            for name in names:
                file = Path(directory, name)
                # It may have been renamed or deleted since it was listed.
                with contextlib.suppress(FileNotFoundError):
                    status = file.stat()
                    path = file.relative_to(self._root).as_posix()
                    yield Entry(path, status.st_size, status.st_mtime)

    def delete(self, path: str) -> None:
        """Delete a file, or a directory with all files."""
        target = self._root / path
        with _failing(f"delete {target}"), contextlib.suppress(FileNotFoundError):
            if target.is_dir():
                shutil.rmtree(target)
            else:
                target.unlink()


def require_name(directory: str | os.PathLike[str]) -> None:
    """Refuse an empty name, which would be the current directory."""
    if not os.fspath(directory).strip():
        raise ValueError("Cannot open a store without a name: is a variable unset?")


@contextlib.contextmanager
def _failing(action: str) -> Iterator[None]:
    try:
        yield
    except OSError as failure:
        raise StoreUnavailable(
            f"Cannot {action}: {failure.strerror or failure}. Check space, rights and the disk, "
            "and retry."
        ) from failure


class _FileUpload(Upload):
    def __init__(self, path: Path) -> None:
        self._path = path
        self._temporary = path.with_name(path.name + TEMPORARY)
        self._written = 0
        with _failing(f"write blob {path}"):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = open(self._temporary, "xb", buffering=1 << 20)  # noqa: SIM115

    def write(self, data: bytes | pa.Buffer) -> None:
        with _failing(f"write blob {self._path}"):
            self._file.write(data)
        self._written += len(memoryview(data))

    def commit(self) -> None:
        with _failing(f"commit blob {self._path}"):
            self._file.close()
            size = self._temporary.stat().st_size
            if size != self._written:
                raise OSError(f"the file has {size} bytes, and {self._written} were written")
            os.rename(self._temporary, self._path)

    def abort(self) -> None:
        with contextlib.suppress(OSError):
            self._file.close()
        with contextlib.suppress(OSError):
            self._temporary.unlink()


_positions = threading.Lock()


def read_at(descriptor: int, length: int, offset: int) -> bytes:
    """Read from a place of an open file, in one step; Windows needs two."""
    if hasattr(os, "pread"):
        return os.pread(descriptor, length, offset)
    with _positions:
        os.lseek(descriptor, offset, os.SEEK_SET)
        return os.read(descriptor, length)


class _FileSource(Source):
    def __init__(self, path: str) -> None:
        self._path = path
        try:
            flags = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
            self._descriptor = os.open(path, os.O_RDONLY | flags)
        except FileNotFoundError as failure:
            raise missing(path) from failure
        except OSError as failure:
            raise StoreUnavailable(
                f"Cannot open blob {path}: {failure.strerror}. Check rights and disk, and retry."
            ) from failure
        self.length = os.fstat(self._descriptor).st_size

    def read(self, offset: int, length: int) -> bytes:
        parts: list[bytes] = []
        with _failing(f"read blob {self._path}"):
            while length:
                part = read_at(self._descriptor, length, offset)
                if not part:
                    break
                parts.append(part)
                offset += len(part)
                length -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __del__(self) -> None:
        if getattr(self, "_descriptor", -1) >= 0:
            self.close()


def missing(path: str) -> BlobMissing:
    """Make the failure of a blob that is not there."""
    return BlobMissing(
        f"Cannot read blob {path}: it is not there. Its shuffle was released, or this is another "
        "store. Run its map again."
    )


def open_store(store: StoreLike) -> Store:
    """Return a store: itself, or that of a directory, of several, or of a URI of `pyarrow.fs`.

    Raises `ValueError` for a string that is no URI, or a URI that has credentials.
    """
    if isinstance(store, Store):
        return store
    if isinstance(store, Sequence) and not isinstance(store, str):
        return _directories(store)
    text = os.fspath(store)
    if text.startswith("file://"):
        return LocalStore(text.removeprefix("file://"))
    if "://" in text:
        return _from_uri(text)
    return LocalStore(text)


def _directories(paths: Sequence[str | os.PathLike[str]]) -> Store:
    from blobshuffle.directories import Directories

    remote = [str(path) for path in paths if "://" in str(path)]
    if remote:
        raise ValueError(
            f"Cannot open {len(paths)} places as one store: {remote} are no directories. Name one "
            "URI, or only directories."
        )
    return Directories(paths)


@functools.lru_cache(maxsize=16)
def _from_uri(uri: str) -> Store:
    # Loading the libraries of the clouds takes longer than the rest of the package.
    from blobshuffle.filesystem import from_uri

    return from_uri(uri)
