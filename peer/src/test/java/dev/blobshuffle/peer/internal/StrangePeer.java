package dev.blobshuffle.peer.internal;

import dev.blobshuffle.core.internal.membership.Endpoint;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Somebody at an address who answers as a test says, or not at all: then the system still accepts
 * connections, as it does for a process that is stopped.
 */
final class StrangePeer implements AutoCloseable {
    private final ServerSocket server;
    private final List<Socket> sockets = Collections.synchronizedList(new ArrayList<>());

    /** Answers one request. */
    interface Behaviour {
        void answer(int length, OutputStream out) throws IOException;
    }

    /** Answers one request, whose head is given as text. */
    interface Answering {
        void answer(String request, OutputStream out) throws IOException;
    }

    private StrangePeer() throws IOException {
        server = new ServerSocket(0, 100, InetAddress.getByName("127.0.0.1"));
    }

    static StrangePeer silent() throws IOException {
        return new StrangePeer();
    }

    static StrangePeer that(Behaviour behaviour) throws IOException {
        return answering((request, out) -> {
            int[] range = range(request);
            behaviour.answer(range[1] - range[0] + 1, out);
        });
    }

    static StrangePeer answering(Answering answering) throws IOException {
        StrangePeer peer = new StrangePeer();
        Thread thread = new Thread(() -> peer.run(answering), "strange peer");
        thread.setDaemon(true);
        thread.start();
        return peer;
    }

    /** The first and the last byte that a request asks for; nothing if it does not say. */
    static int[] range(String request) {
        String lower = request.toLowerCase(java.util.Locale.ROOT);
        int at = lower.indexOf("\nrange: bytes=");
        if (at < 0) {
            return new int[] {0, -1};
        }
        String range = lower.substring(at + "\nrange: bytes=".length());
        String[] ends = range.substring(0, range.indexOf('\n')).split("-");
        return new int[] {Integer.parseInt(ends[0]), Integer.parseInt(ends[1])};
    }

    Endpoint endpoint() {
        return new Endpoint("127.0.0.1", server.getLocalPort());
    }

    private void run(Answering answering) {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                sockets.add(socket);
                BufferedReader in =
                        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
                StringBuilder request = new StringBuilder();
                for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
                    request.append(line).append('\n');
                }
                answering.answer(request.toString(), socket.getOutputStream());
                socket.getOutputStream().flush();
            } catch (IOException e) {
                // The other side has gone, or the test is over.
            }
        }
    }

    static byte[] head(String status, long length) {
        return ("HTTP/1.1 " + status + "\r\nContent-Length: " + length + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Socket socket : List.copyOf(sockets)) {
            socket.close();
        }
    }
}
