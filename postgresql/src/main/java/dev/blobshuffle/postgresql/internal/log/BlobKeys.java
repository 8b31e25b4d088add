package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.core.store.BlobId;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/**
 * Blobs as the schema names them, in 20 bytes, big-endian: generation (4), writer (8), sequence
 * (8). The schema's functions read the generation from the first four. Stateless.
 */
final class BlobKeys {
    private static final int BYTES = 4 + 8 + 8;

    private BlobKeys() {}

    static byte[] of(BlobId blob) {
        return ByteBuffer.allocate(BYTES)
                .putInt(Math.toIntExact(blob.generation()))
                .putLong(blob.writer())
                .putLong(blob.sequence())
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
        return new BlobId(bytes.getInt(), bytes.getLong(), bytes.getLong());
    }

    static List<BlobId> blobs(byte[][] keys) {
        return Stream.of(keys).map(BlobKeys::blob).toList();
    }
}
