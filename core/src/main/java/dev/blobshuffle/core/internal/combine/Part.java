package dev.blobshuffle.core.internal.combine;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.internal.combine.PartRefusedException.Reason;
import dev.blobshuffle.core.internal.format.Footer;
import dev.blobshuffle.core.internal.format.FooterCodec;
import dev.blobshuffle.core.internal.format.record.FrameHeaders;
import dev.blobshuffle.core.store.BlobId;
import java.nio.ByteBuffer;

/**
 * A whole blob that an instance handed over, checked ({@code docs/format.md}, "Combined blob").
 *
 * @param footer its footer
 * @param bytes its bytes, at position 0
 */
record Part(Footer footer, ByteBuffer bytes) {
    /**
     * Checks a blob: its footer, and the headers of its frames.
     *
     * @param id the id under which it was handed over
     * @param store fingerprint of the hub's store
     * @param blob the whole blob; not moved
     * @throws PartRefusedException recoverable: the blob cannot be combined; its writer stores it
     *     by itself
     */
    static Part read(BlobId id, int store, ByteBuffer blob) {
        ByteBuffer bytes = blob.slice();
        try {
            Footer footer = FooterCodec.decode(bytes, bytes.remaining());
            require(footer.id().equals(id), Reason.UNUSABLE, id, "its footer names blob " + footer.id());
            require(id.owner() != BlobId.NO_OWNER, Reason.FOREIGN, id, "it has no owner");
            require(footer.store() == store, Reason.FOREIGN, id, "it is for another store");
            require(footer.key().isEmpty(), Reason.UNUSABLE, id, "it is encrypted");
            require(!footer.segments().isEmpty(), Reason.UNUSABLE, id, "it has no segments");
            Part part = new Part(footer, bytes);
            for (Footer.Segment segment : footer.segments()) {
                int checksum = FrameHeaders.checksum(part.segment(segment), segment.partition());
                require(checksum == segment.checksum(), Reason.UNUSABLE, id, "a checksum is wrong");
            }
            return part;
        } catch (BlobCorruptException e) {
            throw refused(Reason.UNUSABLE, id, String.valueOf(e.getMessage()));
        }
    }

    private static void require(boolean isSound, Reason reason, BlobId id, String trouble) {
        if (!isSound) {
            throw refused(reason, id, trouble);
        }
    }

    private static PartRefusedException refused(Reason reason, BlobId id, String trouble) {
        return new PartRefusedException(
                reason, "Cannot combine blob " + id + ": " + trouble + ". Its writer stores it.");
    }

    /** The bytes of a segment. */
    ByteBuffer segment(Footer.Segment segment) {
        return bytes.slice((int) segment.offset(), (int) segment.length());
    }
}
