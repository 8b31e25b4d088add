"""CRC32C (Castagnoli), which every part of a blob has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import google_crc32c

if TYPE_CHECKING:
    import pyarrow as pa

# The C function takes any read-only buffer; its annotations say only bytes.
_extend: Any = google_crc32c.extend


def crc32c(data: bytes | pa.Buffer, start: int = 0) -> int:
    """Return the CRC32C of bytes, 0 to 2^32 - 1.

    `start` is the checksum of the bytes before `data`: the result is that of both.
    `data` must be read-only.
    """
    return _extend(start, data)
