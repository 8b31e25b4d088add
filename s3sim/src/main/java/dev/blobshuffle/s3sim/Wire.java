package dev.blobshuffle.s3sim;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * The socket of one connection, with or without TLS. Owned by the connection's thread, except
 * {@link #reset}.
 */
final class Wire {
    private static final int OUT_BYTES = 64 << 10;

    private final Socket raw;

    /** The TLS socket over the raw one; without TLS, the raw socket itself. */
    private final Socket socket;

    private final InputStream in;
    private final OutputStream out;
    private final byte[] buffer = new byte[OUT_BYTES];

    /** Takes over a connection before its TLS handshake. */
    Wire(Socket raw, Optional<SSLContext> tls, Duration idle) throws IOException {
        this.raw = raw;
        raw.setTcpNoDelay(true);
        raw.setSoTimeout((int) Math.max(1, idle.toMillis()));
        if (tls.isEmpty()) {
            socket = raw;
        } else {
            SSLSocket secured = (SSLSocket) tls.get()
                    .getSocketFactory()
                    .createSocket(raw, raw.getInetAddress().getHostAddress(), raw.getPort(), true);
            secured.setUseClientMode(false);
            socket = secured;
        }
        in = socket.getInputStream();
        out = socket.getOutputStream();
    }

    InputStream in() {
        return in;
    }

    OutputStream out() {
        return out;
    }

    /**
     * Sends an answer, or the start of it.
     *
     * @param head status line and headers, including the empty line
     * @param bodyBytes number of bytes of the body to send
     */
    void send(String head, Answer answer, int bodyBytes) throws IOException {
        byte[] first = head.getBytes(StandardCharsets.ISO_8859_1);
        if (first.length > OUT_BYTES) {
            throw new IOException("the headers take more than " + OUT_BYTES + " bytes");
        }
        // Sends the head and the start of the body in one packet.
        System.arraycopy(first, 0, buffer, 0, first.length);
        int along = Math.min(bodyBytes, OUT_BYTES - first.length);
        System.arraycopy(answer.body(), answer.offset(), buffer, first.length, along);
        out.write(buffer, 0, first.length + along);
        if (along < bodyBytes) {
            out.write(answer.body(), answer.offset() + along, bodyBytes - along);
        }
        out.flush();
    }

    /** Ends the connection with a TCP reset. A thread that reads or writes fails. Thread-safe. */
    void reset() {
        try {
            raw.setSoLinger(true, 0);
            raw.close();
        } catch (IOException e) {
            // It is already closed.
        }
    }

    /** Closes the connection gracefully: the client reads all sent bytes, and then the end. */
    void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // It is already closed.
        }
    }
}
