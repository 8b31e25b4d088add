package dev.blobshuffle.core.internal.format.record;

import java.util.Arrays;

/**
 * What an encrypted {@link Frame} has beside its body: where it must lie, and what is needed to
 * read it again from memory. Immutable.
 */
final class SealedFrame {
    private final String key;
    private final FrameCipher cipher;
    private final long position;
    private final byte[] tag;

    /**
     * A frame that was encrypted.
     *
     * @param key id of the named key
     * @param cipher what encrypted it
     * @param position its offset in the blob
     * @param sealed ends with the tag, at an offset
     */
    SealedFrame(String key, FrameCipher cipher, long position, byte[] sealed, int tagAt) {
        this.key = key;
        this.cipher = cipher;
        this.position = position;
        tag = Arrays.copyOfRange(sealed, tagAt, tagAt + FrameCipher.TAG_LENGTH);
    }

    String key() {
        return key;
    }

    long position() {
        return position;
    }

    /** Writes the tag that follows the body. */
    void writeTag(byte[] target, int offset) {
        System.arraycopy(tag, 0, target, offset, tag.length);
    }

    /**
     * The frame's body, decrypted into an array of its own: for records that leave memory in
     * another way.
     */
    byte[] open(Frame frame) {
        byte[] header = new byte[Frame.HEADER_LENGTH];
        FrameHeader.writeFields(frame, true, header, 0);
        byte[] sealed = Arrays.copyOfRange(
                frame.array(), frame.offset(), frame.offset() + frame.length() + FrameCipher.TAG_LENGTH);
        writeTag(sealed, frame.length());
        byte[] body = new byte[frame.length()];
        if (!cipher.open(position, header, 0, sealed, 0, sealed.length, body)) {
            throw new IllegalStateException("Cannot decrypt a batch in memory: its bytes have changed.");
        }
        return body;
    }
}
