package dev.blobshuffle.gcs;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.store.BlobContent;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Locale;
import java.util.zip.CRC32C;

/** What a write carries for the service to check it by. */
enum Checksum {
    /** The service compares a CRC32C of the whole object, which the JDK computes at several gigabytes per second, and refuses what differs. */
    CRC32C,
    /** Nothing: what comes in is stored. Segments still carry checksums of their own, which readers check. */
    NONE;

    static Checksum of(String text) {
        for (Checksum checksum : values()) {
            if (checksum.name().toLowerCase(Locale.ROOT).equals(text)) {
                return checksum;
            }
        }
        throw new InvalidSettings(
                "Cannot open store gs://: parameter checksum is '" + text + "'. Give crc32c or none.");
    }

    /** The CRC32C as the service writes it: base 64 of four bytes, the highest first. */
    static String crc32c(BlobContent content) {
        CRC32C checksum = new CRC32C();
        content.buffers().forEach(checksum::update);
        byte[] bytes = ByteBuffer.allocate(Integer.BYTES)
                .putInt((int) checksum.getValue())
                .array();
        return Base64.getEncoder().encodeToString(bytes);
    }
}
