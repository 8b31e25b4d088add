package dev.blobshuffle.kafkaembedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** A source of ports for nodes. */
@FunctionalInterface
interface PortSource {
    /**
     * Distinct ports of the loopback address that are free now. Another process may take them
     * before they are bound.
     */
    List<Integer> take(int count);

    /**
     * Free ports below the operating system's range for outgoing connections (on Linux from 32768).
     * In that range, a client that keeps trying to reach a killed broker could be assigned the
     * broker's own port and connect to itself. The broker could then not restart.
     */
    static List<Integer> free(int count) {
        List<ServerSocket> held = new ArrayList<>();
        try {
            while (held.size() < count) {
                held.add(bindSomewhere());
            }
            return held.stream().map(ServerSocket::getLocalPort).toList();
        } finally {
            held.forEach(PortSource::release);
        }
    }

    /** Whether no process listens on the port now. */
    static boolean isFree(int port) {
        try {
            bind(port).close();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static ServerSocket bind(int port) throws IOException {
        return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
    }

    private static ServerSocket bindSomewhere() {
        int lowest = 12_000;
        int end = 32_000;
        IOException last = new IOException("no attempt was made");
        for (int attempt = 0; attempt < 200; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(lowest, end);
            try {
                return bind(port);
            } catch (IOException e) {
                last = e;
            }
        }
        throw new UncheckedIOException(
                "Cannot find a free port: 200 random ones were taken, range " + lowest + " to " + end
                        + ". Stop processes that listen there.",
                last);
    }

    private static void release(ServerSocket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot release port " + socket.getLocalPort() + ": " + e.getMessage(), e);
        }
    }
}
