"""Arrow messages: a schema's prelude, and frames of record batches that can be read alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from blobshuffle.container import ARROW_END, MAX_PIECE_LENGTH

# Its functions are made at run time, so type checkers do not know them.
_compute: Any = pc

FrameCodec = Literal["none", "lz4", "zstd"]
"""Compression of Arrow bodies. Each frame names its own, so blobs of all codecs mix."""

Codec = Literal["none", "lz4", "zstd", "adaptive"]
"""What a writer compresses with: `adaptive` chooses one for each map (`blobshuffle.adaptive`)."""

FRAME_BYTES = 4 << 20
"""Uncompressed size at which a segment is divided into frames, bytes."""

MAX_SHARED_DICTIONARIES = 64 << 10
"""The longest dictionaries that the prelude holds, bytes as stored."""

_ZSTD_LEVEL = 1


class EncodedFrame(NamedTuple):
    """Whole Arrow messages: a record batch, after its dictionaries if it has its own.

    `data` is what is stored, `raw_length` its length without compression in bytes.
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


def has_dictionaries(data_type: pa.DataType) -> bool:
    """Tell whether a type is a dictionary or contains one."""
    if isinstance(data_type, pa.BaseExtensionType):
        return has_dictionaries(data_type.storage_type)
    if pa.types.is_dictionary(data_type):
        return True
    return any(has_dictionaries(child) for child in _children(data_type))


def _children(data_type: pa.DataType) -> list[pa.DataType]:
    return [data_type.field(i).type for i in range(data_type.num_fields)]


def gathered_type(data_type: pa.DataType) -> pa.DataType:
    """Return the type that stands for another while rows are gathered.

    A view refers to buffers of all rows and a run to its neighbours, so a part of them would
    carry the whole. Raises `TypeError` for a type that has no equal without them.
    """
    if pa.types.is_string_view(data_type):
        return pa.string()
    if pa.types.is_binary_view(data_type):
        return pa.binary()
    if pa.types.is_run_end_encoded(data_type):
        return gathered_type(data_type.value_type)
    if not any(_is_indirect(child) for child in _children(data_type)):
        if pa.types.is_list_view(data_type) or pa.types.is_large_list_view(data_type):
            raise TypeError(
                f"Cannot shuffle a column of type {data_type}: Arrow cannot cast to list views. "
                "Cast the column to a list first."
            )
        return data_type
    if pa.types.is_struct(data_type):
        fields = [data_type.field(i) for i in range(data_type.num_fields)]
        return pa.struct([field.with_type(gathered_type(field.type)) for field in fields])
    if pa.types.is_list(data_type):
        return pa.list_(_gathered_field(data_type.value_field))
    if pa.types.is_large_list(data_type):
        return pa.large_list(_gathered_field(data_type.value_field))
    raise TypeError(
        f"Cannot shuffle a column of type {data_type}: it contains views or runs inside a type "
        "that cannot be cast. Cast the column to a type without them first."
    )


def _gathered_field(field: pa.Field) -> pa.Field:
    return field.with_type(gathered_type(field.type))


def _is_indirect(data_type: pa.DataType) -> bool:
    views = (
        pa.types.is_string_view(data_type)
        or pa.types.is_binary_view(data_type)
        or pa.types.is_list_view(data_type)
        or pa.types.is_large_list_view(data_type)
    )
    runs = pa.types.is_run_end_encoded(data_type)
    return views or runs or any(_is_indirect(child) for child in _children(data_type))


class BatchEncoder:
    """Encodes gathered batches of one schema as frames. Owned by one thread.

    Dictionaries that all batches share go into the prelude. Once a batch has others, each frame
    carries its own; `is_mixed` says so.
    """

    def __init__(self, schema: pa.Schema, codec: FrameCodec) -> None:
        if not len(schema):
            raise ValueError("Cannot shuffle rows without columns: add a column.")
        self.schema = schema
        self.gathered = pa.schema([_gathered_field(field) for field in schema])
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
        self.shared_messages = b""

    def use(self, codec: FrameCodec) -> None:
        """Compress the frames from now on with a codec. Raises `ValueError` if it is unknown."""
        self._options = write_options(codec)
        self._is_compressed = codec != "none"

    def prepare(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Check a batch's schema and turn it into the types that can be gathered.

        Raises `ValueError` if its schema is another.
        """
        if not batch.schema.equals(self.schema):
            raise ValueError(
                f"Cannot write a batch: its schema is\n{batch.schema}\nand that of the batches "
                f"before it\n{self.schema}\nCast it first."
            )
        if self._with_dictionaries:
            self._share(batch)
        if not self._is_restored and batch.schema.equals(self.gathered, check_metadata=True):
            return batch
        columns = [
            _plain(column, field.type)
            for column, field in zip(batch.columns, self.gathered, strict=True)
        ]
        return pa.RecordBatch.from_arrays(columns, schema=self.gathered)

    def prelude(self) -> bytes:
        """Return the schema message and the dictionaries that all frames share."""
        schema = self._schema_message.to_pybytes()
        return schema if self.is_mixed else schema + self.shared_messages

    def encode(self, pieces: Sequence[pa.RecordBatch]) -> Iterator[EncodedFrame]:
        """Encode batches as frames: together if that fits into one."""
        try:
            batch = pieces[0] if len(pieces) == 1 else pa.concat_batches(pieces)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            # The dictionaries together have more values than an index can tell apart.
            for piece in pieces:
                yield from self._split(piece)
            return
        yield from self._split(batch)

    def _split(self, batch: pa.RecordBatch) -> Iterator[EncodedFrame]:
        rows = batch.num_rows
        # The length of the message is the size of the rows, and the footer needs it anyway.
        length = pa.ipc.get_record_batch_size(batch)
        if rows > 1 and length > 2 * FRAME_BYTES:
            yield from self._split(batch.slice(0, rows // 2))
            yield from self._split(batch.slice(rows // 2))
            return
        if self._is_restored:
            batch = self.restored(batch)
            length = pa.ipc.get_record_batch_size(batch)
        yield self._encode(batch, length)

    def restored(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return a gathered batch with the types that `prepare` has changed."""
        if not self._is_restored:
            return batch
        columns = [
            _restored(column, field.type)
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
        columns = [_compacted(column) for column in batch.columns]
        batch = pa.RecordBatch.from_arrays(columns, schema=self.schema)
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
        """Keep the first batch's dictionaries, and notice others."""
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
            empty = batch.slice(0, 0)
            messages = self._messages(empty, self._options)
            size = _dictionaries_length(messages)
            self._shared = dictionaries
            self.shared_messages = messages.slice(0, size).to_pybytes()
            self.is_mixed = size > MAX_SHARED_DICTIONARIES
        elif not all(
            new is old or new.equals(old)
            for new, old in zip(dictionaries, self._shared, strict=True)
        ):
            self.is_mixed = True


def _dictionaries_length(messages: pa.Buffer) -> int:
    """Return where the dictionaries at the start of messages end, bytes."""
    source = pa.BufferReader(messages)
    end = 0
    while pa.ipc.read_message(source).type == "dictionary":
        end = source.tell()
    return end


def _plain(column: Any, data_type: pa.DataType) -> Any:
    if column.type.equals(data_type):
        return column
    if pa.types.is_run_end_encoded(column.type):
        column = _compute.run_end_decode(column)
    return column if column.type.equals(data_type) else column.cast(data_type)


def _restored(column: Any, data_type: pa.DataType) -> Any:
    """Return a gathered column in the type that it had."""
    if column.type.equals(data_type):
        return column
    # Views made from a slice would carry the whole: concatenating copies only the slice.
    return _original(pa.concat_arrays([column.slice(0, 0), column]), data_type)


def _original(column: Any, data_type: pa.DataType) -> Any:
    if column.type.equals(data_type):
        return column
    if pa.types.is_run_end_encoded(data_type):
        return _compute.run_end_encode(
            _original(column, data_type.value_type), run_end_type=data_type.run_end_type
        )
    return column.cast(data_type)


def _compacted(column: Any) -> Any:
    """Return a dictionary column without the values that it does not use, if that pays."""
    data_type = column.type
    if not pa.types.is_dictionary(data_type) or data_type.ordered:
        return column
    if len(column.dictionary) <= len(column) or column.dictionary.null_count:
        return column
    encoded = _compute.dictionary_encode(column.dictionary_decode())
    return pa.DictionaryArray.from_arrays(
        encoded.indices.cast(data_type.index_type), encoded.dictionary
    )
