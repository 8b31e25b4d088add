package dev.blobshuffle.s3sim;

import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A body in chunks with trailers: HTTP's chunked coding (RFC 9112, section 7.1), and
 * {@code aws-chunked}, which has the same framing. Owned by the connection's thread.
 */
final class ChunkedInput extends InputStream {
    private final LineInput lines;
    private final Map<String, String> trailers = new HashMap<>();
    private long left;
    private boolean hasBegun;
    private boolean hasEnded;

    ChunkedInput(LineInput lines) {
        this.lines = lines;
    }

    /** The trailers after the last chunk, by lower-case name. Available when the body has ended. */
    Map<String, String> trailers() {
        return trailers;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        if (left == 0 && !hasEnded) {
            nextChunk();
        }
        if (hasEnded) {
            return -1;
        }
        int count = lines.read(into, offset, (int) Math.min(length, left));
        if (count < 0) {
            throw new IOException("the body ends in the middle of a chunk");
        }
        left -= count;
        return count;
    }

    private void nextChunk() throws IOException {
        if (hasBegun && !line().isEmpty()) {
            throw new IOException("a chunk is longer than it says");
        }
        hasBegun = true;
        String size = line();
        int extension = size.indexOf(';');
        try {
            left = Long.parseLong((extension < 0 ? size : size.substring(0, extension)).strip(), 16);
        } catch (NumberFormatException e) {
            throw new IOException("a chunk has no size", e);
        }
        if (left < 0) {
            throw new IOException("a chunk has a negative size");
        }
        if (left == 0) {
            hasEnded = true;
            readTrailers();
        }
    }

    private void readTrailers() throws IOException {
        // aws-chunked inside a known length may end without the empty line.
        for (String line = lines.readLine(); line != null && !line.isEmpty(); line = lines.readLine()) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                trailers.put(
                        line.substring(0, colon).strip().toLowerCase(Locale.ROOT),
                        line.substring(colon + 1).strip());
            }
        }
    }

    private String line() throws IOException {
        @Nullable String line = lines.readLine();
        if (line == null) {
            throw new IOException("the body ends between chunks");
        }
        return line;
    }
}
