"""Arrow messages: a schema's prelude, and frames of record batches that can be read alone."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import pyarrow as pa

from blobshuffle.columns import (
    PYARROW,
    compacted,
    dictionaries,
    gathered,
    gathered_field,
    has_dictionaries,
    has_views,
    is_decodable,
    restored,
    size_of,
)
from blobshuffle.container import ARROW_END, MAX_PIECE_LENGTH

FrameCodec = Literal["none", "lz4", "zstd"]
"""Compression of Arrow bodies. Each frame names its own, so blobs of all codecs mix."""

Codec = Literal["none", "lz4", "zstd", "adaptive"]
"""The codec of a writer: `adaptive` chooses one for each map (`blobshuffle.adaptive`)."""

FRAME_BYTES = 4 << 20
"""Uncompressed size at which a segment is divided into frames, bytes."""

MAX_SHARED_DICTIONARIES = 64 << 10
"""The longest dictionaries that the prelude holds, bytes as stored."""

SMALL_DICTIONARY = 1 << 20
"""A dictionary that a frame may carry beside its rows, bytes without compression."""

_ZSTD_LEVEL = 1

_COMPRESSES_VIEWS = PYARROW >= 25
"""Earlier releases of pyarrow crash when they compress views that were cast from short strings."""


class EncodedFrame(NamedTuple):
    """Whole Arrow messages: a record batch, after its dictionaries if it has its own.

    `data` has the stored bytes, `raw_length` is their length without compression.
    """

    data: pa.Buffer | bytes
    rows: int
    raw_length: int


def write_options(codec: FrameCodec) -> pa.ipc.IpcWriteOptions:
    """Return how messages are written. Raises `ValueError` for an unknown codec."""
    compression: Any = None
    if codec == "zstd":
        compression = pa.Codec("zstd", compression_level=_ZSTD_LEVEL)
    elif codec == "lz4":
        compression = "lz4"
    elif codec != "none":
        raise ValueError(
            f"Cannot write with codec {codec!r}: legal are 'none', 'lz4', 'zstd', 'adaptive'."
        )
    return pa.ipc.IpcWriteOptions(
        compression=compression, use_threads=False, emit_dictionary_deltas=False
    )


def usable(codec: FrameCodec, schema: pa.Schema) -> FrameCodec:
    """Return the codec for batches: `none` if this pyarrow cannot compress views that they have."""
    if _COMPRESSES_VIEWS or not any(has_views(field.type) for field in schema):
        return codec
    write_options(codec)  # An illegal one is refused nevertheless.
    return "none"


class BatchEncoder:
    """Encodes gathered batches of one schema as frames. Owned by one thread.

    Dictionaries that all batches share go into the prelude. Once a batch has others, each frame
    carries its own; `is_mixed` says so. A large dictionary whose values rows seldom repeat is
    gathered as plain values, because joining such dictionaries costs more than copying them.
    """

    def __init__(self, schema: pa.Schema, codec: FrameCodec) -> None:
        if not len(schema):
            raise ValueError("Cannot shuffle rows without columns: add a column.")
        self.schema = schema
        self.gathered = pa.schema([gathered_field(field) for field in schema])
        self.is_mixed = False
        self.use(codec)
        self._raw_options = write_options("none")
        self._is_restored = not self.gathered.equals(schema)
        self._schema_message = schema.serialize()
        if self._schema_message.size > MAX_PIECE_LENGTH:
            raise ValueError(
                f"Cannot shuffle a schema of {self._schema_message.size} bytes: at most "
                f"{MAX_PIECE_LENGTH}. Drop its metadata."
            )
        self._with_dictionaries = any(has_dictionaries(field.type) for field in schema)
        self._nested = any(
            has_dictionaries(field.type) and not pa.types.is_dictionary(field.type)
            for field in schema
        )
        self._shared: list[pa.Array] | None = None
        self._orders: dict[str, pa.Array] = {}
        self._is_chosen = False
        self.shared_messages = b""

    def use(self, codec: FrameCodec) -> None:
        """Compress the frames from now on with a codec. Raises `ValueError` if it is unknown."""
        codec = usable(codec, self.schema)
        self._options = write_options(codec)
        self._is_compressed = codec != "none"

    def check(self, schema: pa.Schema) -> None:
        """Raise `ValueError` if a schema is another."""
        if not schema.equals(self.schema):
            raise ValueError(
                f"Cannot write a batch: its schema is\n{schema}\nand that of the batches "
                f"before it\n{self.schema}\nCast it first."
            )

    def prepare(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Turn a batch into the types that can be gathered.

        Raises `ValueError` if its schema is another, or the order of an ordered dictionary.
        """
        self.check(batch.schema)
        if self._with_dictionaries:
            self._share(batch)
            if batch.num_rows and not self._is_chosen:
                self._choose(batch)
        if (
            not self._is_restored
            and not self.is_mixed
            and batch.schema.equals(self.gathered, check_metadata=True)
        ):
            return batch
        columns = [
            gathered(column, field.type)
            for column, field in zip(batch.columns, self.gathered, strict=True)
        ]
        if self.is_mixed:
            columns = [compacted(column) for column in columns]
        return pa.RecordBatch.from_arrays(columns, schema=self.gathered)

    def prelude(self) -> bytes:
        """Return the schema message and the dictionaries that all frames share."""
        schema = self._schema_message.to_pybytes()
        return schema if self.is_mixed else schema + self.shared_messages

    def encode(self, pieces: Sequence[pa.RecordBatch]) -> Iterator[EncodedFrame]:
        """Encode batches as frames: together if that fits into one."""
        if self.is_mixed:
            # Joining dictionaries looks at every value, also at those that no row here uses.
            pieces = [_compacted(piece) for piece in pieces]
        try:
            batch = pieces[0] if len(pieces) == 1 else pa.concat_batches(pieces)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            # The dictionaries together have more values than an index can address.
            for piece in pieces:
                yield from self._split(piece)
            return
        yield from self._split(batch)

    def _split(self, batch: pa.RecordBatch) -> Iterator[EncodedFrame]:
        for part in self.parts(batch):
            # The length of the message is the size of the rows, and the footer needs it anyway.
            yield self._encode(part, pa.ipc.get_record_batch_size(part))

    def parts(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Return a gathered batch as it was, in parts that fit into frames."""
        rows = batch.num_rows
        length = pa.ipc.get_record_batch_size(batch)
        if self.is_mixed:
            batch = _compacted(batch)
            length += _carried(batch)
        if rows == 1:
            yield self.restored(batch)
            return
        if length <= 2 * FRAME_BYTES:
            part = None
            # Rows may have more values than an index can address.
            with contextlib.suppress(pa.ArrowInvalid):
                part = self.restored(batch)
            if part is not None:
                yield part
                return
        yield from self.parts(batch.slice(0, rows // 2))
        yield from self.parts(batch.slice(rows // 2))

    def restored(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return a gathered batch with the types that `prepare` has changed."""
        if not self._is_restored:
            return batch
        columns = [
            restored(column, field.type)
            for column, field in zip(batch.columns, self.schema, strict=True)
        ]
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)

    def _encode(self, batch: pa.RecordBatch, raw_length: int) -> EncodedFrame:
        if self._with_dictionaries and self.is_mixed:
            return self._encode_with_dictionaries(batch)
        if not self._is_compressed:
            return EncodedFrame(batch.serialize(), batch.num_rows, raw_length)
        data = self._messages(batch, self._options)
        if self._with_dictionaries:
            data = data.slice(_dictionaries_length(data))
        return EncodedFrame(data, batch.num_rows, raw_length)

    def _encode_with_dictionaries(self, batch: pa.RecordBatch) -> EncodedFrame:
        data = self._messages(batch, self._options)
        raw = self._messages(batch, self._raw_options) if self._is_compressed else data
        return EncodedFrame(data, batch.num_rows, raw.size)

    def _messages(self, batch: pa.RecordBatch, options: pa.ipc.IpcWriteOptions) -> pa.Buffer:
        """Return the messages of a batch, dictionaries first, without schema and end."""
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, self.schema, options=options) as writer:
            writer.write_batch(batch)
        stream = sink.getvalue()
        start = self._schema_message.size
        return stream.slice(start, stream.size - start - len(ARROW_END))

    def _share(self, batch: pa.RecordBatch) -> None:
        """Keep the first batch's dictionaries, and notice others.

        Raises `ValueError` if an ordered one is another: two orders have no common one.
        """
        self._require_orders(batch)
        if self.is_mixed:
            return
        if self._nested:
            # Those inside other types are not compared: each frame carries its own.
            self.is_mixed = True
            return
        dictionaries = [
            column.dictionary for column in batch.columns if pa.types.is_dictionary(column.type)
        ]
        if self._shared is None:
            self._shared = dictionaries
            if sum(size_of(dictionary) for dictionary in dictionaries) > SMALL_DICTIONARY:
                self.is_mixed = True
                return
            messages = self._messages(batch.slice(0, 0), self._options)
            size = _dictionaries_length(messages)
            self.shared_messages = messages.slice(0, size).to_pybytes()
            self.is_mixed = size > MAX_SHARED_DICTIONARIES
        elif not all(
            _is_same(new, old) for new, old in zip(dictionaries, self._shared, strict=True)
        ):
            self.is_mixed = True

    def _choose(self, batch: pa.RecordBatch) -> None:
        """Choose the columns that are gathered as plain values, by the first rows."""
        self._is_chosen = True
        for number, (field, column) in enumerate(zip(self.gathered, batch.columns, strict=True)):
            if (
                self.is_mixed
                and is_decodable(field.type)
                and size_of(column.dictionary) > SMALL_DICTIONARY
                and batch.num_rows <= 2 * len(column.dictionary)
            ):
                self.gathered = self.gathered.set(number, field.with_type(field.type.value_type))
                self._is_restored = True

    def _require_orders(self, batch: pa.RecordBatch) -> None:
        for field, column in zip(self.schema, batch.columns, strict=True):
            if not (pa.types.is_dictionary(field.type) and field.type.ordered):
                continue
            before = self._orders.setdefault(field.name, column.dictionary)
            if not _is_same(column.dictionary, before):
                raise ValueError(
                    f"Cannot write a batch: column {field.name!r} is an ordered dictionary, and "
                    "its values or their order differ from those of the batches before it. Set "
                    f"the same values in all, or cast it to {field.type.value_type}."
                )


def _is_same(new: pa.Array, old: pa.Array) -> bool:
    return new is old or new.equals(old)


def _dictionaries_length(messages: pa.Buffer) -> int:
    """Return where the dictionaries at the start of messages end, bytes."""
    source = pa.BufferReader(messages)
    end = 0
    while pa.ipc.read_message(source).type == "dictionary":
        end = source.tell()
    return end


def _compacted(batch: pa.RecordBatch) -> pa.RecordBatch:
    columns = [compacted(column) for column in batch.columns]
    return pa.RecordBatch.from_arrays(columns, schema=batch.schema)


def _carried(batch: pa.RecordBatch) -> int:
    """Return the bytes of dictionaries that fewer rows would not need."""
    return sum(
        size_of(dictionary)
        for column in batch.columns
        for dictionary in dictionaries(column)
        if 2 * len(dictionary) > batch.num_rows
    )
