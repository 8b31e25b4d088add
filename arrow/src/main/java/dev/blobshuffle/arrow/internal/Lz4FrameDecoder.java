package dev.blobshuffle.arrow.internal;

import dev.blobshuffle.core.failure.BlobCorruptException;
import java.nio.ByteBuffer;
import java.util.function.Function;

/**
 * Decodes an LZ4 frame (LZ4 frame format 1.6, LZ4 block format) into a buffer of its exact length.
 * Blocks may depend on each other, as liblz4's do, because all are decoded into one buffer. For any
 * bytes, it reads and writes only within the buffers, terminates, and either fills the target or
 * throws. Owned by one call.
 */
final class Lz4FrameDecoder {
    private static final int VERSION = 0xC0;
    private static final int INDEPENDENT = 0x20;
    private static final int BLOCK_CHECKSUM = 0x10;
    private static final int CONTENT_SIZE = 0x08;
    private static final int CONTENT_CHECKSUM = 0x04;
    private static final int RESERVED = 0x02;
    private static final int DICTIONARY = 0x01;

    private static final int SHORTEST_MATCH = 4;

    /** The value of a length that continues in the following bytes. */
    private static final int LONG = 15;

    private static final int WORD = Long.BYTES;

    private final ByteBuffer source;
    private final ByteBuffer target;
    private final Function<String, BlobCorruptException> failure;
    private int at;
    private int to;

    private Lz4FrameDecoder(ByteBuffer source, ByteBuffer target, Function<String, BlobCorruptException> failure) {
        this.source = source;
        this.target = target;
        this.failure = failure;
    }

    /**
     * Decodes all of a buffer into all of another, both little-endian.
     *
     * @param failure creates the exception for a reason
     * @throws BlobCorruptException recoverable: the source is not one frame of that many bytes
     */
    static void decode(ByteBuffer source, ByteBuffer target, Function<String, BlobCorruptException> failure) {
        new Lz4FrameDecoder(source, target, failure).frame();
    }

    private void frame() {
        need(7);
        if (source.getInt(0) != Lz4FrameEncoder.MAGIC) {
            throw corrupt("it does not begin as a frame");
        }
        int flags = source.get(4);
        int most = blockSize(source.get(5));
        if ((flags & (VERSION | RESERVED)) != 0x40) {
            throw corrupt("its flags are unknown");
        }
        if ((flags & DICTIONARY) != 0) {
            throw corrupt("it needs a dictionary");
        }
        at = 6;
        if ((flags & CONTENT_SIZE) != 0) {
            need(WORD + 1);
            if (source.getLong(at) != target.limit()) {
                throw corrupt("it states " + source.getLong(at) + " bytes instead of " + target.limit());
            }
            at += WORD;
        }
        if (source.get(at) != (byte) (hash(source, 4, at - 4) >>> 8)) {
            throw corrupt("the checksum of its header is wrong");
        }
        at++;
        blocks(flags, most);
        if ((flags & CONTENT_CHECKSUM) != 0) {
            need(4);
            if (source.getInt(at) != hash(target, 0, to)) {
                throw corrupt("its checksum is wrong");
            }
            at += 4;
        }
        if (at != source.limit() || to != target.limit()) {
            throw corrupt("it ends after " + to + " of " + target.limit() + " bytes, and " + (source.limit() - at)
                    + " follow");
        }
    }

    private int blockSize(int descriptor) {
        int code = descriptor >>> 4 & 7;
        if ((descriptor & 0x8F) != 0 || code < 4) {
            throw corrupt("the size of its blocks is unknown");
        }
        return 1 << 8 + 2 * code;
    }

    private void blocks(int flags, int most) {
        while (true) {
            need(4);
            int size = source.getInt(at);
            at += 4;
            if (size == 0) {
                return;
            }
            int length = size & ~Lz4FrameEncoder.RAW;
            if (length > most) {
                throw corrupt("a block has " + length + " of at most " + most + " bytes");
            }
            need(length);
            int start = at;
            if (size < 0) {
                raw(length);
            } else {
                int window = (flags & INDEPENDENT) == 0 ? 0 : to;
                block(start + length, (int) Math.min(target.limit(), (long) to + most), window);
            }
            if ((flags & BLOCK_CHECKSUM) != 0) {
                need(4);
                if (source.getInt(at) != hash(source, start, length)) {
                    throw corrupt("the checksum of a block is wrong");
                }
                at += 4;
            }
        }
    }

    private void raw(int length) {
        if (length > target.limit() - to) {
            throw corrupt("a block is longer than the rest");
        }
        target.put(to, source, at, length);
        at += length;
        to += length;
    }

    /**
     * Decodes a block: sequences of literals and a match. The last sequence has no match.
     *
     * @param end of the block in the source
     * @param limit end of the block's room in the target
     * @param window start of the target's bytes that matches may repeat
     */
    private void block(int end, int limit, int window) {
        // Locals stay in registers.
        ByteBuffer in = source;
        ByteBuffer out = target;
        int from = at;
        int into = to;
        // The last positions at which whole words fit; up to these, words longer than needed are
        // read and written.
        int lastRead = in.limit() - 2 * WORD;
        int lastWritten = out.limit() - 3 * WORD;
        while (from < end) {
            int token = in.get(from++);
            int literals = token >>> 4 & LONG;
            if (literals == LONG) {
                int more;
                do {
                    if (from == end || literals > limit - into) {
                        throw outside();
                    }
                    more = in.get(from++) & 0xFF;
                    literals += more;
                } while (more == 0xFF);
            }
            if (literals > end - from || literals > limit - into) {
                throw outside();
            }
            if (literals <= 2 * WORD && from <= lastRead && into <= lastWritten) {
                out.putLong(into, in.getLong(from));
                out.putLong(into + WORD, in.getLong(from + WORD));
            } else {
                out.put(into, in, from, literals);
            }
            from += literals;
            into += literals;
            if (from == end) {
                at = from;
                to = into;
                return;
            }
            if (end - from < 2) {
                throw outside();
            }
            int distance = in.getShort(from) & 0xFFFF;
            from += 2;
            int length = token & LONG;
            if (length == LONG) {
                int more;
                do {
                    if (from == end || length > limit - into) {
                        throw outside();
                    }
                    more = in.get(from++) & 0xFF;
                    length += more;
                } while (more == 0xFF);
            }
            length += SHORTEST_MATCH;
            if (distance == 0 || distance > into - window || length > limit - into) {
                throw outside();
            }
            if (length <= 3 * WORD && distance >= WORD && into <= lastWritten) {
                int back = into - distance;
                out.putLong(into, out.getLong(back));
                out.putLong(into + WORD, out.getLong(back + WORD));
                out.putLong(into + 2 * WORD, out.getLong(back + 2 * WORD));
            } else {
                repeat(out, into, distance, length);
            }
            into += length;
        }
        throw outside();
    }

    /**
     * Repeats the bytes {@code distance} before, which may overlap. It writes whole words, so bytes
     * after the match get values that the next sequence overwrites.
     */
    private static void repeat(ByteBuffer out, int start, int distance, int length) {
        int into = start;
        int end = start + length;
        if (end > out.limit() - WORD) {
            for (; into < end; into++) {
                out.put(into, out.get(into - distance));
            }
            return;
        }
        int step = distance;
        if (distance < WORD) {
            // A multiple of the period, so a word is written before it is repeated.
            step = distance * ((WORD - 1 + distance) / distance);
            for (int stop = start + step - distance; into < stop; into++) {
                out.put(into, out.get(into - distance));
            }
        }
        for (; into < end; into += WORD) {
            out.putLong(into, out.getLong(into - step));
        }
    }

    private static int hash(ByteBuffer bytes, int offset, int length) {
        return Lz4FrameEncoder.HASH.hash(bytes, offset, length, 0);
    }

    private void need(int length) {
        if (length > source.limit() - at) {
            throw corrupt("it ends too early");
        }
    }

    private BlobCorruptException outside() {
        return corrupt("a length or a distance leads outside of its block");
    }

    private BlobCorruptException corrupt(String reason) {
        return failure.apply(reason);
    }
}
