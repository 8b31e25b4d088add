package dev.blobshuffle.bench.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.zip.CRC32C;
import javax.net.ssl.SSLContext;

/**
 * A minimal client of an S3 server on this machine, as the floor for the cost of a real client. It
 * has one connection, sends unsigned requests, and checksums all sent and received bytes. Owned by
 * one thread.
 */
final class BareClient implements AutoCloseable {
    private static final int HEAD_BYTES = 16 << 10;

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    private final String bucket;
    private final byte[] buffer = new byte[HEAD_BYTES];
    private int filled;
    private int bodyStart;

    BareClient(URI endpoint, String bucket) throws IOException, GeneralSecurityException {
        this.bucket = bucket;
        socket = endpoint.getScheme().equals("https")
                ? trustOfNow().getSocketFactory().createSocket(endpoint.getHost(), endpoint.getPort())
                : new Socket(endpoint.getHost(), endpoint.getPort());
        socket.setTcpNoDelay(true);
        in = socket.getInputStream();
        out = socket.getOutputStream();
    }

    /**
     * A context with the trust store that the system properties name now. The JVM's default context
     * keeps the one of its first use.
     */
    private static SSLContext trustOfNow() throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, null, null);
        return context;
    }

    /** Sends a blob with its checksum. */
    void put(String key, List<ByteBuffer> parts) throws IOException {
        CRC32C checksum = new CRC32C();
        long length = 0;
        for (ByteBuffer part : parts) {
            checksum.update(part.duplicate());
            length += part.remaining();
        }
        String sum = Base64.getEncoder()
                .encodeToString(ByteBuffer.allocate(Integer.BYTES)
                        .putInt((int) checksum.getValue())
                        .array());
        out.write(ascii("PUT /" + bucket + "/" + key + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + length
                + "\r\nx-amz-checksum-crc32c: " + sum + "\r\n\r\n"));
        for (ByteBuffer part : parts) {
            out.write(part.array(), part.arrayOffset() + part.position(), part.remaining());
        }
        out.flush();
        long ignored = answer("store " + key);
    }

    /** Reads a whole blob into a buffer and returns its checksum. */
    long get(String key, byte[] into) throws IOException {
        out.write(ascii("GET /" + bucket + "/" + key + " HTTP/1.1\r\nHost: localhost\r\nRange: bytes=0-"
                + (into.length - 1) + "\r\n\r\n"));
        out.flush();
        long length = answer("read " + key);
        if (length != into.length) {
            throw new IOException("a blob of " + into.length + " bytes came back with " + length);
        }
        int along = filled - bodyStart;
        System.arraycopy(buffer, bodyStart, into, 0, along);
        if (in.readNBytes(into, along, into.length - along) < into.length - along) {
            throw new IOException("a blob ended early");
        }
        CRC32C checksum = new CRC32C();
        checksum.update(into);
        return checksum.getValue();
    }

    void delete(String key) throws IOException {
        out.write(ascii("DELETE /" + bucket + "/" + key + " HTTP/1.1\r\nHost: localhost\r\n\r\n"));
        out.flush();
        long ignored = answer("delete " + key);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Reads the head of an answer, and perhaps the start of its body. Returns the body's length.
     */
    private long answer(String what) throws IOException {
        filled = 0;
        bodyStart = 0;
        while (bodyStart == 0) {
            int count = filled < HEAD_BYTES ? in.read(buffer, filled, HEAD_BYTES - filled) : -1;
            if (count < 0) {
                throw new IOException("no answer to: " + what);
            }
            filled += count;
            bodyStart = endOfHead();
        }
        String head = new String(buffer, 0, bodyStart, StandardCharsets.US_ASCII);
        if (!head.startsWith("HTTP/1.1 2")) {
            throw new IOException(
                    "cannot " + what + ": " + head.lines().findFirst().orElse(""));
        }
        return head.lines()
                .filter(line -> line.toLowerCase(Locale.ROOT).startsWith("content-length:"))
                .findFirst()
                .map(line ->
                        Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
                .orElse(0L);
    }

    /** The start of the body; 0 if it has not arrived yet. */
    private int endOfHead() {
        for (int i = 3; i < filled; i++) {
            if (buffer[i] == '\n' && buffer[i - 1] == '\r' && buffer[i - 2] == '\n' && buffer[i - 3] == '\r') {
                return i + 1;
            }
        }
        return 0;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
