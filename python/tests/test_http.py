"""How the store of a daemon reads answers; `StockClientsIT` runs it against the daemon."""

import contextlib
import http.server
import pathlib
import pickle
import threading

import pytest
from shuffles import read_all, table, write

import blobshuffle.http
from blobshuffle import BlobCorrupt, BlobMissing, HttpStore, StoreUnavailable


class Server(http.server.ThreadingHTTPServer):
    directory: pathlib.Path
    status = 0
    """Of answers to GET, if not 206."""
    cut = 0
    """Bytes that are missing at the end of bodies."""
    refused = 0
    """Connections to close at once."""

    def process_request(self, request, client_address):
        if self.refused:
            self.refused -= 1
            self.shutdown_request(request)  # pyright: ignore[reportArgumentType]
        else:
            super().process_request(request, client_address)


class Daemon(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_HEAD(self):
        self.answer(200, self.blob())

    def do_GET(self):
        first, last = self.headers["Range"].removeprefix("bytes=").split("-")
        assert self.headers["If-Match"] == '"entity"'
        assert self.headers["Authorization"] == "Bearer secret"
        if self.server.status:
            self.answer(self.server.status, b"a reason")
        else:
            self.answer(206, self.blob()[int(first) : int(last) + 1])

    def blob(self):
        path = self.path.removeprefix("/team/")
        file = self.server.directory / "shuffles" / path
        return file.read_bytes() if file.exists() else b""

    def answer(self, status, body):
        self.send_response(status if body else 404)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", '"entity"')
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body[: len(body) - self.server.cut])
            self.close_connection = self.server.cut > 0

    def log_message(self, format, *args):
        pass


@contextlib.contextmanager
def daemon(directory):
    with Server(("127.0.0.1", 0), Daemon) as server:
        server.directory = directory
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def store_of(server):
    return HttpStore(f"http://127.0.0.1:{server.server_port}/team", "secret")


def test_rows_are_those_of_the_directory(tmp_path):
    refs = [write(tmp_path, table(1000, number), 3, map=number, maps=2) for number in range(2)]
    with daemon(tmp_path) as server:
        store = pickle.loads(pickle.dumps(store_of(server)))
        assert read_all(refs, 3, store=store) == read_all(refs, 3)


def test_failures_say_what_to_do(tmp_path):
    ref = write(tmp_path, table(1000), 3)
    with daemon(tmp_path) as server:
        for status, failure in (
            (503, StoreUnavailable),
            (401, StoreUnavailable),
            (200, StoreUnavailable),
            (404, BlobMissing),
            (409, BlobCorrupt),
            (412, BlobCorrupt),
        ):
            server.status = status
            source = store_of(server).open(ref.path)
            with pytest.raises(failure):
                source.read(0, 8)
        server.status, server.cut = 0, 1
        source = store_of(server).open(ref.path)
        with pytest.raises(StoreUnavailable, match="IncompleteRead"):
            source.read(0, 8)
        with pytest.raises(BlobMissing):
            store_of(server).open("shuffles/s/nothing.blob")
    with pytest.raises(StoreUnavailable, match="Check that the daemon runs"):
        store_of(server).open(ref.path)


def test_a_connection_that_the_daemon_refuses_is_opened_again(tmp_path, monkeypatch):
    monkeypatch.setattr(blobshuffle.http, "_PAUSES", (0, 0))
    ref = write(tmp_path, table(1000), 3)
    with daemon(tmp_path) as server:
        server.refused = 2
        store = store_of(server)
        assert read_all([ref], 3, store=store) == read_all([ref], 3)
        assert server.refused == 0
        server.refused = 3
        with pytest.raises(StoreUnavailable, match="Check that the daemon runs"):
            store_of(server).open(ref.path)


def test_it_only_reads():
    store = HttpStore("http://127.0.0.1:1/team")
    for action in (store.create, store.delete, store.list):
        with pytest.raises(StoreUnavailable):
            action("shuffles/s")
    with pytest.raises(ValueError, match="Pass the token as token"):
        HttpStore("https://user:secret@node1/team")
