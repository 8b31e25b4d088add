package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.core.store.BlobId;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/**
 * Encodes blob ids for the schema, in 20 bytes, big-endian: generation (4), writer (8), sequence
 * (8). If the blob has an owner, the sequence's highest bit is set, and the writer's highest 24
 * bits are the owner. The schema's functions read the generation from the first four bytes.
 * Stateless.
 */
final class BlobKeys {
    private static final int BYTES = 4 + 8 + 8;

    /** The sequence's bit for blobs with an owner; no sequence is negative. */
    private static final long OWNED = 1L << 63;

    private BlobKeys() {}

    static byte[] of(BlobId blob) {
        return ByteBuffer.allocate(BYTES)
                .putInt(Math.toIntExact(blob.generation()))
                .putLong(blob.ownerAndWriter())
                .putLong(blob.owner() == BlobId.NO_OWNER ? blob.sequence() : blob.sequence() | OWNED)
                .array();
    }

    static byte[][] of(Collection<BlobId> blobs) {
        return blobs.stream().map(BlobKeys::of).toArray(byte[][]::new);
    }

    static BlobId blob(byte[] key) {
        if (key.length != BYTES) {
            throw new IllegalStateException("Cannot read the key of a blob: it has " + key.length + " bytes, not "
                    + BYTES + ". The log is of another version.");
        }
        ByteBuffer bytes = ByteBuffer.wrap(key);
        int generation = bytes.getInt();
        long writer = bytes.getLong();
        long sequence = bytes.getLong();
        return sequence < 0
                ? BlobId.owned(generation, writer, sequence & ~OWNED)
                : new BlobId(generation, writer, sequence);
    }

    static List<BlobId> blobs(byte[][] keys) {
        return Stream.of(keys).map(BlobKeys::blob).toList();
    }
}
