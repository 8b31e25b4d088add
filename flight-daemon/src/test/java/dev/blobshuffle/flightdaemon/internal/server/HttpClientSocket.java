package dev.blobshuffle.flightdaemon.internal.server;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import javax.net.SocketFactory;

/** A client that sends arbitrary bytes and reads answers at any speed. Owned by one thread. */
final class HttpClientSocket implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 60_000;

    private final Socket socket;
    private final InputStream in;

    HttpClientSocket(SocketFactory sockets, int port) throws IOException {
        socket = sockets.createSocket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(PATIENCE_MILLIS);
        in = new BufferedInputStream(socket.getInputStream());
    }

    static HttpClientSocket plain(int port) throws IOException {
        return new HttpClientSocket(SocketFactory.getDefault(), port);
    }

    /** An answer without its body. */
    record Head(int status, Map<String, String> headers) {
        long length() {
            return Long.parseLong(headers.getOrDefault("content-length", "0"));
        }
    }

    /** An answer. */
    record Answer(Head head, byte[] body) {
        int status() {
            return head.status();
        }

        String header(String name) {
            return head.headers().getOrDefault(name, "");
        }

        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    /** Sends these bytes unchanged. */
    void send(String bytes) throws IOException {
        socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
    }

    /** Sends a request and reads its answer. Each header ends with CRLF. */
    Answer ask(String method, String path, String headers) throws IOException {
        send(method + " " + path + " HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n");
        Head head = head();
        return new Answer(head, method.equals("HEAD") ? new byte[0] : in.readNBytes((int) head.length()));
    }

    /** Reads the head of an answer. */
    Head head() throws IOException {
        String[] words = line().split(" ", 3);
        Map<String, String> headers = new TreeMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            String[] header = line.split(": ", 2);
            headers.put(header[0].toLowerCase(Locale.ROOT), header[1]);
        }
        return new Head(Integer.parseInt(words[1]), headers);
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new IOException("The server closed the connection.");
            }
            line.write(next);
        }
        return line.toString(StandardCharsets.ISO_8859_1).stripTrailing();
    }

    byte[] body(int length) throws IOException {
        return in.readNBytes(length);
    }

    /** Counts the bytes until the server closes the connection. */
    long rest() {
        long count = 0;
        byte[] bytes = new byte[1 << 16];
        try {
            for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
                count += read;
            }
        } catch (SocketTimeoutException e) {
            throw new AssertionError("The server leaves the connection open.", e);
        } catch (IOException e) {
            return count; // A reset closes the connection too.
        }
        return count;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
