package dev.blobshuffle.testkit.internal.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free ports below the range from which the operating system takes ports for outgoing connections
 * (on Linux from 32768). In that range, a client that keeps connecting to a killed server could
 * receive the server's own port, and the server could not restart. Stateless.
 */
public final class FreePort {
    private static final int LOWEST = 12_000;
    private static final int END = 32_000;
    private static final int ATTEMPTS = 200;

    private FreePort() {}

    /**
     * A port of the loopback address that is free now; another process may take it before it is
     * bound.
     */
    public static int take() {
        IOException last = new IOException("no attempt was made");
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, END);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException e) {
                last = e;
            }
        }
        throw new UncheckedIOException(
                "Cannot find a free port: " + ATTEMPTS + " random ones were taken, range " + LOWEST + " to " + END
                        + ". Stop processes that listen there.",
                last);
    }
}
