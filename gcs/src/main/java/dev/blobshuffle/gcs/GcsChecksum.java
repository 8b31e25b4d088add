package dev.blobshuffle.gcs;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.store.BlobContent;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Locale;
import java.util.zip.CRC32C;

/** The checksum with which the service verifies a write. */
enum GcsChecksum {
    /**
     * CRC32C of the whole object. The service refuses a write whose checksum differs. The JDK
     * computes it at several gigabytes per second.
     */
    CRC32C,
    /**
     * No checksum: the service stores the received bytes. Readers still verify the segments' own
     * checksums.
     */
    NONE;

    static GcsChecksum of(String text) {
        for (GcsChecksum checksum : values()) {
            if (checksum.name().toLowerCase(Locale.ROOT).equals(text)) {
                return checksum;
            }
        }
        throw new InvalidSettingsException(
                "Cannot open store gs://: parameter checksum is '" + text + "'. Give crc32c or none.");
    }

    /** The CRC32C in the service's form: four bytes, most significant first, in Base64. */
    static String crc32c(BlobContent content) {
        CRC32C checksum = new CRC32C();
        content.buffers().forEach(checksum::update);
        byte[] bytes = ByteBuffer.allocate(Integer.BYTES)
                .putInt((int) checksum.getValue())
                .array();
        return Base64.getEncoder().encodeToString(bytes);
    }
}
