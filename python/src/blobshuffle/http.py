"""Blobs that a flight daemon serves by HTTP."""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import ssl
import threading
import time
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from blobshuffle.container import Source
from blobshuffle.failure import BlobCorrupt, StoreUnavailable
from blobshuffle.filesystem import READ_AHEAD
from blobshuffle.store import SHUFFLES, Entry, Store, Upload, missing

TIMEOUT = 60.0
"""Seconds for a connection, and for each part of an answer."""

_PAUSES = (0.2, 1.0)
"""Seconds before a request is sent again on a new connection."""

_KEPT = 8


class HttpStore(Store):
    """The blobs of one namespace of a flight daemon, read by ranges. It is read-only.

    `url` is that of the daemon with the namespace, `https://node1:8816/team`. `token` is one of the
    namespace. `trust` is a PEM file with the authority of the daemon's certificate, if the system
    does not trust it. Pickling the store pickles the token.
    """

    def __init__(self, url: str, token: str | None = None, *, trust: str | None = None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
            raise ValueError(
                f"Cannot open the store of {parts.hostname}: its URL is not "
                "https://HOST:PORT/NAMESPACE. Pass the token as token."
            )
        if token is not None and parts.scheme == "http" and not _is_loopback(parts.hostname):
            raise ValueError(
                f"Cannot open the store of {parts.hostname}: a token over http can be read on the "
                "way. Name it by https, or read without a token."
            )
        self._arguments = (url, token, trust)
        self._place = (parts.hostname, parts.port)
        self._root = parts.path.rstrip("/")
        self._headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._tls: ssl.SSLContext | None = None
        if parts.scheme == "https":
            self._tls = ssl.create_default_context(cafile=trust)
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return _store, self._arguments

    @property
    def location(self) -> None:
        """None: pass the store to `read`."""
        return None

    @property
    def read_ahead(self) -> int:
        """Blobs to request early."""
        return READ_AHEAD

    def create(self, path: str) -> Upload:
        """Raise `StoreUnavailable`: write to the daemon's directory."""
        raise StoreUnavailable(f"Cannot write blob {path}: the daemon serves blobs by HTTP only.")

    def open(self, path: str) -> Source:
        """Open a blob."""
        return _HttpSource(self, path)

    def list(self, prefix: str) -> Iterator[Entry]:
        """Raise `StoreUnavailable`: the daemon lists by Flight."""
        raise StoreUnavailable(f"Cannot list {prefix}: send the daemon the action list by Flight.")

    def delete(self, path: str) -> None:
        """Raise `StoreUnavailable`: the daemon releases by Flight."""
        raise StoreUnavailable(f"Cannot delete {path}: send the daemon the action release.")

    def ask(self, method: str, path: str, headers: dict[str, str]) -> Answer:
        """Send a request and read the whole answer."""
        target = f"{self._root}/{path.removeprefix(SHUFFLES + '/')}"
        try:
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            if connection is not None:
                try:
                    return self._exchange(connection, method, target, headers)
                except (OSError, http.client.HTTPException):
                    connection.close()  # The daemon closed it while it was idle.
            for pause in _PAUSES:
                with contextlib.suppress(ConnectionResetError, BrokenPipeError, ssl.SSLEOFError):
                    return self._exchange(self._connect(), method, target, headers)
                time.sleep(pause)  # The daemon closed it: it has too many connections.
            return self._exchange(self._connect(), method, target, headers)
        except (OSError, http.client.HTTPException) as failure:
            raise StoreUnavailable(
                f"Cannot read blob {path} from {self._place[0]}: {failure!r}. Check that the "
                "daemon runs, and retry."
            ) from failure

    def _connect(self) -> http.client.HTTPConnection:
        host, port = self._place
        if self._tls is None:
            return http.client.HTTPConnection(host, port, timeout=TIMEOUT)
        return http.client.HTTPSConnection(host, port, timeout=TIMEOUT, context=self._tls)

    def _exchange(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        target: str,
        headers: dict[str, str],
    ) -> Answer:
        try:
            connection.request(method, target, headers={**self._headers, **headers})
            response = connection.getresponse()
            answer = Answer(response.status, response.headers, response.read())
        except BaseException:
            connection.close()
            raise
        with self._lock:
            if response.will_close or len(self._idle) >= _KEPT:
                connection.close()
            else:
                self._idle.append(connection)
        return answer


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _store(url: str, token: str | None, trust: str | None) -> HttpStore:
    return HttpStore(url, token, trust=trust)


class Answer(NamedTuple):
    """An answer of the daemon."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes


class _HttpSource(Source):
    def __init__(self, store: HttpStore, path: str) -> None:
        self._store = store
        self._path = path
        head = self._ask("HEAD", {}, 200)
        self.length = int(head.headers["Content-Length"])
        self._entity = head.headers["ETag"]

    def read(self, offset: int, length: int) -> bytes:
        end = min(offset + length, self.length)
        if offset >= end:
            return b""
        # All ranges must be of the same blob, even if another process replaces it meanwhile.
        headers = {"Range": f"bytes={offset}-{end - 1}", "If-Match": self._entity}
        return self._ask("GET", headers, 206).body

    def close(self) -> None:
        pass

    def _ask(self, method: str, headers: dict[str, str], expected: int) -> Answer:
        answer = self._store.ask(method, self._path, headers)
        if answer.status == expected:
            return answer
        reason = answer.body.decode(errors="replace").strip() or f"status {answer.status}"
        if answer.status == 404:
            raise missing(self._path)
        if answer.status in (409, 412, 416):
            raise BlobCorrupt(
                f"Cannot read blob {self._path}: the daemon says: {reason} Run its map again."
            )
        raise StoreUnavailable(
            f"Cannot read blob {self._path}: the daemon answers {answer.status}: {reason}"
        )
