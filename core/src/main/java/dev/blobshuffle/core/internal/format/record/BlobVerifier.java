package dev.blobshuffle.core.internal.format.record;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.internal.encryption.Keyring;
import dev.blobshuffle.core.internal.format.Footer;
import dev.blobshuffle.core.internal.format.FooterCodec;
import java.nio.ByteBuffer;

/** Checks every byte of a whole blob, for {@code blobshuffle inspect} and recovery. Stateless. */
public final class BlobVerifier {
    private BlobVerifier() {}

    /** As {@link #verify(ByteBuffer, Keyring)}, for a blob that is not encrypted. */
    public static Footer verify(ByteBuffer blob) {
        return verify(blob, Keyring.none());
    }

    /**
     * Reads a blob from its first byte to its last: trailer, footer, every frame and every record.
     *
     * @param blob the whole blob; its array must be accessible; not moved
     * @param keys decrypt the blob if it is encrypted
     * @return its footer
     * @throws BlobCorruptException fatal: the bytes do not match the footer or the format
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: its key is not available
     */
    public static Footer verify(ByteBuffer blob, Keyring keys) {
        Footer footer = FooterCodec.decode(blob, blob.remaining());
        for (Footer.Segment segment : footer.segments()) {
            verifySegment(blob, keys, footer, segment);
        }
        return footer;
    }

    private static void verifySegment(ByteBuffer blob, Keyring keys, Footer footer, Footer.Segment segment) {
        SegmentReader reader = new SegmentReader(
                footer.notification(segment), segment.partition(), keys, SegmentReader.Memory.UNLIMITED);
        reader.input(blob.slice(blob.position() + (int) segment.offset(), (int) segment.length()));
        long min = Long.MAX_VALUE;
        long max = Long.MIN_VALUE;
        while (reader.next()) {
            min = Math.min(min, reader.timestamp());
            max = Math.max(max, reader.timestamp());
        }
        if (min != segment.minTimestamp() || max != segment.maxTimestamp()) {
            throw new BlobCorruptException("Cannot accept segment " + segment.partition() + " at " + segment.offset()
                    + " of blob " + footer.id()
                    + ": its timestamps are " + min + " to " + max + ", its footer says " + segment.minTimestamp()
                    + " to "
                    + segment.maxTimestamp() + ". Its writer was faulty; report it.");
        }
    }
}
