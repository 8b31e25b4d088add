"""Frames of pyarrow's codecs, for the codecs of this module.

codecs.py write CODEC SEED FILE: contents of many kinds, and what pyarrow makes of each.
codecs.py check CODEC FILE: compares contents with what pyarrow makes of their frames; prints how many.
A file has, again and again, a length (4 bytes, little-endian), a content, a length, a frame.
"""

import random
import struct
import sys

import pyarrow as pa


def content(chance: random.Random) -> bytes:
    """Literals, and repetitions of all distances and lengths, over several blocks of 64 KiB."""
    length = chance.choice([1, 13, 100, 5_000, 70_000, 200_000])
    made = bytearray()
    while len(made) < length:
        if not made or chance.random() < 0.4:
            made += chance.randbytes(chance.choice([1, 3, 14, 15, 16, 270, 2_000]))
        else:
            distance = chance.randint(1, min(len(made), chance.choice([3, 9, 100, 65_535])))
            start = len(made) - distance
            for i in range(chance.choice([4, 7, 18, 19, 20, 300])):
                made.append(made[start + i])
    return bytes(made[:length])


def write(name: str, seed: str, path: str) -> None:
    chance = random.Random(int(seed))
    codec = pa.Codec(name)
    with open(path, "wb") as file:
        for _ in range(300):
            raw = content(chance)
            for part in (raw, codec.compress(raw, asbytes=True)):
                file.write(struct.pack("<I", len(part)) + part)


def check(name: str, path: str) -> None:
    codec = pa.Codec(name)
    checked = 0
    with open(path, "rb") as file:
        while head := file.read(4):
            raw = file.read(struct.unpack("<I", head)[0])
            frame = file.read(struct.unpack("<I", file.read(4))[0])
            assert codec.decompress(frame, len(raw), asbytes=True) == raw
            checked += 1
    print(checked)


if __name__ == "__main__":
    {"write": write, "check": check}[sys.argv[1]](*sys.argv[2:])
