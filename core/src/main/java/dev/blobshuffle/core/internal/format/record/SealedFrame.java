package dev.blobshuffle.core.internal.format.record;

import java.util.Arrays;

/**
 * The encryption data of a {@link Frame}: its required offset in the blob, and what is needed to
 * decrypt it in memory. Immutable.
 */
final class SealedFrame {
    private final String key;
    private final FrameCipher cipher;
    private final long position;
    private final byte[] tag;

    /**
     * The data of an encrypted frame.
     *
     * @param key id of the named key
     * @param cipher the cipher that encrypted it
     * @param position the frame's offset in the blob
     * @param sealed the encrypted bytes, with the tag at an offset
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

    /** The frame's body, decrypted into a new array, for records that are sent as plain records. */
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
