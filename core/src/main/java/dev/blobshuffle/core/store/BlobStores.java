package dev.blobshuffle.core.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/** Opens stores by URI, and what every store does alike. Thread-safe. */
public final class BlobStores {
    private BlobStores() {}

    /** The fingerprint of a store that is known by a text: the CRC32C of its UTF-8 bytes. */
    public static int fingerprint(String identity) {
        CRC32C checksum = new CRC32C();
        checksum.update(ByteBuffer.wrap(identity.getBytes(StandardCharsets.UTF_8)));
        return (int) checksum.getValue();
    }
}
