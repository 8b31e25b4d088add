"""Numbers and strings of the blob format (`docs/format.md`), in both directions."""

from __future__ import annotations

from typing import NoReturn

from blobshuffle.failure import BlobCorrupt

_MASK = (1 << 64) - 1
MAX_INT = (1 << 31) - 1
MAX_LONG = (1 << 63) - 1


def zigzag(value: int) -> int:
    """Map a signed 64-bit number to an unsigned one; small magnitudes stay small."""
    return ((value << 1) ^ (value >> 63)) & _MASK


def unzigzag(value: int) -> int:
    """Return the signed number of an unsigned one: the inverse of `zigzag`."""
    return (value >> 1) ^ -(value & 1)


class ByteWriter:
    """Appends numbers and strings. Owned by one thread."""

    __slots__ = ("data",)

    def __init__(self) -> None:
        self.data = bytearray()

    def fixed(self, value: int, size: int) -> None:
        """Append a number of `size` bytes; negative ones as two's complement."""
        self.data += (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")

    def varint(self, value: int) -> None:
        """Append an unsigned number, seven bits per byte."""
        if not 0 <= value <= _MASK:
            raise ValueError(f"Cannot write {value} as an unsigned number of 64 bits.")
        while value > 0x7F:
            self.data.append(value & 0x7F | 0x80)
            value >>= 7
        self.data.append(value)

    def string(self, text: str) -> None:
        """Append length and UTF-8."""
        encoded = text.encode("utf-8", "replace")
        self.varint(len(encoded))
        self.data += encoded


class ByteReader:
    """Reads numbers and strings in order, and raises `BlobCorrupt` before it passes the end."""

    __slots__ = ("_at", "_data", "_what")

    def __init__(self, data: bytes, what: str) -> None:
        self._data = data
        self._at = 0
        self._what = what

    def fixed(self, size: int, *, signed: bool = False) -> int:
        """Read a number of `size` bytes."""
        return int.from_bytes(self._take(size), "little", signed=signed)

    def varint(self, most: int = MAX_LONG) -> int:
        """Read an unsigned number of at most 10 bytes, and refuse one above `most`."""
        value = self._raw()
        if value > most:
            self.corrupt("a number is out of range")
        return value

    def signed(self) -> int:
        """Read a zigzag number."""
        return unzigzag(self._raw())

    def count(self, least: int) -> int:
        """Read a number of elements of `least` bytes or more; refuse more than can follow."""
        count = self.varint(MAX_INT)
        if count > (len(self._data) - self._at) // least:
            self.corrupt(f"it says {count} elements and has {len(self._data) - self._at} bytes")
        return count

    def string(self) -> str:
        """Read length and UTF-8. Bytes that are not UTF-8 become U+FFFD."""
        return self._take(self.varint(MAX_INT)).decode("utf-8", "replace")

    def end(self) -> None:
        """Require that everything was read."""
        if self._at != len(self._data):
            self.corrupt(f"{len(self._data) - self._at} bytes follow its end")

    def corrupt(self, reason: str) -> NoReturn:
        """Raise the failure of a reader that finds a contradiction."""
        raise BlobCorrupt(
            f"Cannot read {self._what}: {reason}. Its checksum is right, so its writer was faulty; "
            "report it."
        )

    def _raw(self) -> int:
        data, at = self._data, self._at
        if at < len(data) and data[at] < 0x80:
            self._at = at + 1
            return data[at]
        value = 0
        for shift in range(0, 64, 7):
            if at >= len(data):
                self.corrupt("it ends too early")
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                self._at = at
                return value & _MASK
        self.corrupt("a number does not end")

    def _take(self, size: int) -> bytes:
        start = self._at
        if size > len(self._data) - start:
            self.corrupt("it ends too early")
        self._at = start + size
        return self._data[start : self._at]
