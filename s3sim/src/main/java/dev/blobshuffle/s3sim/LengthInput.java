package dev.blobshuffle.s3sim;

import java.io.IOException;
import java.io.InputStream;

/** A body of known length. Owned by the connection's thread. */
final class LengthInput extends InputStream {
    private final InputStream source;
    private long left;

    LengthInput(InputStream source, long length) {
        this.source = source;
        left = length;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        if (left == 0) {
            return -1;
        }
        int count = source.read(into, offset, (int) Math.min(length, left));
        if (count < 0) {
            throw new IOException("the body ends " + left + " bytes early");
        }
        left -= count;
        return count;
    }
}
