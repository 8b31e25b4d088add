package dev.blobshuffle.core.internal.format.record;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.internal.format.Binding;
import dev.blobshuffle.core.internal.format.Partition;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Walks the frame headers of a segment without a look at the bodies. Stateless. */
public final class FrameHeaders {
    private FrameHeaders() {}

    /**
     * The checksum of a segment, as its footer and its notification state it: CRC32C over the
     * headers of its frames. Requires that the frames fill the segment exactly, are bound to the
     * partition, and are not encrypted.
     *
     * @param segment the segment's bytes, at any position; not moved
     * @throws BlobCorruptException fatal: the bytes are not such frames
     */
    public static int checksum(ByteBuffer segment, Partition partition) {
        byte[] bytes = new byte[Frame.HEADER_LENGTH];
        CRC32C checksum = new CRC32C();
        int tag = Binding.tag(partition);
        int at = segment.position();
        while (at < segment.limit()) {
            if (segment.limit() - at < Frame.HEADER_LENGTH) {
                throw FrameHeader.corrupt(partition, "it ends inside a header");
            }
            segment.get(at, bytes);
            FrameHeader header = FrameHeader.read(bytes, 0, tag, partition);
            if (!header.isBound() || header.isSealed()) {
                throw FrameHeader.corrupt(partition, "it is encrypted, or bound to no partition");
            }
            if (header.length() > segment.limit() - at - Frame.HEADER_LENGTH
                    || header.storedLength() > segment.limit() - at) {
                throw FrameHeader.corrupt(partition, "a frame reaches beyond the segment");
            }
            checksum.update(bytes);
            at += header.storedLength();
        }
        return (int) checksum.getValue();
    }
}
