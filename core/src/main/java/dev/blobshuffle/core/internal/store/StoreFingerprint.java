package dev.blobshuffle.core.internal.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/** Computes fingerprints of stores ({@link dev.blobshuffle.core.store.BlobStore#fingerprint}). */
public final class StoreFingerprint {
    private StoreFingerprint() {}

    /** The fingerprint of a store that a text identifies: the CRC32C of its UTF-8 bytes. */
    public static int of(String identity) {
        CRC32C checksum = new CRC32C();
        checksum.update(ByteBuffer.wrap(identity.getBytes(StandardCharsets.UTF_8)));
        return (int) checksum.getValue();
    }
}
