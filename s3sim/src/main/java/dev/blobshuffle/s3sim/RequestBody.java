package dev.blobshuffle.s3sim;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The body of a request. The client may not have sent it yet ({@code Expect: 100-continue}). Owned
 * by the connection's thread.
 */
final class RequestBody {
    private static final byte[] CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int STEP_BYTES = 128 << 10;

    private final RequestHead head;
    private final OutputStream out;
    private final InputStream wire;
    private final long wireLength;
    private boolean isAwaited;

    RequestBody(RequestHead head, LineInput in, OutputStream out) throws IOException {
        this.head = head;
        this.out = out;
        wireLength = head.contentLength();
        wire = head.isHttpChunked() ? new ChunkedInput(in) : new LengthInput(in, wireLength);
        isAwaited = head.hasHeader("expect", "100-continue");
    }

    /** Its bytes without framing, as stated by the client. */
    long length() throws IOException, RefusedException {
        if (head.isAwsChunked()) {
            String decoded = head.header("x-amz-decoded-content-length")
                    .orElseThrow(() -> new RefusedException(S3Error.MISSING_CONTENT_LENGTH));
            try {
                return Long.parseUnsignedLong(decoded);
            } catch (NumberFormatException e) {
                throw new IOException("x-amz-decoded-content-length is not a number", e);
            }
        }
        if (head.isHttpChunked() || head.header("content-length").isEmpty()) {
            throw new RefusedException(S3Error.MISSING_CONTENT_LENGTH);
        }
        return wireLength;
    }

    /**
     * Reads the body and verifies every checksum that came with it.
     *
     * @param length the result of {@link #length}
     * @param checksums receives the verified checksums, by the name of their header
     */
    byte[] receive(int length, Map<String, String> checksums) throws IOException, RefusedException {
        begin();
        if (!head.isAwsChunked()) {
            return read(wire, length, Map.of(), checksums);
        }
        ChunkedInput chunks = new ChunkedInput(new LineInput(wire));
        return read(chunks, length, chunks.trailers(), checksums);
    }

    private byte[] read(InputStream payload, int length, Map<String, String> trailers, Map<String, String> checksums)
            throws IOException, RefusedException {
        List<BodyChecksum> sums = BodyChecksum.of(head);
        byte[] bytes = new byte[length];
        int filled = 0;
        while (filled < length) {
            int count = payload.read(bytes, filled, Math.min(STEP_BYTES, length - filled));
            if (count < 0) {
                throw new RefusedException(S3Error.INVALID_ARGUMENT);
            }
            for (BodyChecksum sum : sums) {
                sum.update(bytes, filled, count);
            }
            filled += count;
        }
        if (payload.read() >= 0) {
            throw new RefusedException(S3Error.INVALID_ARGUMENT);
        }
        for (BodyChecksum sum : sums) {
            String computed = sum.base64();
            if (!computed.equals(head.headers().getOrDefault(sum.header(), trailers.get(sum.header())))) {
                throw new RefusedException(S3Error.BAD_DIGEST);
            }
            checksums.put(sum.header(), computed);
        }
        return bytes;
    }

    byte[] receive(int length) throws IOException, RefusedException {
        return receive(length, new LinkedHashMap<>());
    }

    private void begin() throws IOException {
        if (isAwaited) {
            isAwaited = false;
            out.write(CONTINUE);
            out.flush();
        }
    }

    /**
     * Reads the rest of the body, so that the next request can follow.
     *
     * @return false if the client still waits for permission to send it; the connection must end
     *     then
     */
    boolean skip() throws IOException {
        if (isAwaited) {
            return false;
        }
        byte[] scratch = new byte[8 << 10];
        int count = wire.read(scratch, 0, scratch.length);
        if (count > 0 && wireLength > scratch.length) {
            scratch = new byte[STEP_BYTES];
        }
        while (count >= 0) {
            count = wire.read(scratch, 0, scratch.length);
        }
        return true;
    }
}
