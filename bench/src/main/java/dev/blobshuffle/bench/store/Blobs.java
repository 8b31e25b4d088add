package dev.blobshuffle.bench.store;

import dev.blobshuffle.core.store.BlobContent;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;

/**
 * The content of every blob of a size: random bytes in chunks, as in the Batcher. Never recycled.
 * Thread-safe.
 *
 * @param content array-backed
 * @param checksum CRC32C of all bytes
 */
record Blobs(BlobContent content, int bytes, long checksum) {
    private static final int CHUNK_BYTES = 256 << 10;

    /** Content of a size, from a seed. */
    static Blobs of(int bytes, long seed) {
        Random random = new Random(seed);
        CRC32C checksum = new CRC32C();
        List<ByteBuffer> parts = new ArrayList<>();
        for (int left = bytes; left > 0; left -= CHUNK_BYTES) {
            byte[] part = new byte[Math.min(left, CHUNK_BYTES)];
            random.nextBytes(part);
            checksum.update(part);
            parts.add(ByteBuffer.wrap(part));
        }
        return new Blobs(BlobContent.of(parts, () -> {}), bytes, checksum.getValue());
    }
}
