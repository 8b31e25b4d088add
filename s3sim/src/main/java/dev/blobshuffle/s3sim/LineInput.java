package dev.blobshuffle.s3sim;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A buffered reader of lines and bytes. Large reads bypass the buffer. Owned by the connection's
 * thread.
 */
final class LineInput extends InputStream {
    private static final int BUFFER_BYTES = 64 << 10;
    private static final int MAX_LINE_BYTES = 32 << 10;

    private final InputStream source;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int position;
    private int limit;

    LineInput(InputStream source) {
        this.source = source;
    }

    @Override
    public int read() throws IOException {
        return position < limit || fill() ? buffer[position++] & 0xFF : -1;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (position == limit) {
            if (length >= BUFFER_BYTES) {
                return source.read(into, offset, length);
            }
            if (!fill()) {
                return -1;
            }
        }
        int count = Math.min(length, limit - position);
        System.arraycopy(buffer, position, into, offset, count);
        position += count;
        return count;
    }

    /** Reads a line without its end; null at the end of the stream. */
    @Nullable
    String readLine() throws IOException {
        StringBuilder line = new StringBuilder();
        while (position < limit || fill()) {
            int end = position;
            while (end < limit && buffer[end] != '\n') {
                end++;
            }
            line.append(new String(buffer, position, end - position, StandardCharsets.ISO_8859_1));
            if (end < limit) {
                position = end + 1;
                int length = line.length();
                return length > 0 && line.charAt(length - 1) == '\r' ? line.substring(0, length - 1) : line.toString();
            }
            position = end;
            if (line.length() > MAX_LINE_BYTES) {
                throw new IOException("a line of more than " + MAX_LINE_BYTES + " bytes");
            }
        }
        return line.length() == 0 ? null : line.toString();
    }

    private boolean fill() throws IOException {
        position = 0;
        limit = Math.max(0, source.read(buffer, 0, BUFFER_BYTES));
        return limit > 0;
    }
}
