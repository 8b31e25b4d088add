package dev.blobshuffle.postgresql.internal.log;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A TCP proxy in front of a server. It can cut a connection after the server has answered a request
 * with a given text, so the answer is lost although the server has done the work. Thread-safe.
 */
final class CuttingProxy implements AutoCloseable {
    private final ServerSocket entry;
    private final int target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicReference<List<String>> wanted = new AtomicReference<>(List.of());
    private final AtomicInteger cuts = new AtomicInteger();

    CuttingProxy(int target) {
        this.target = target;
        try {
            entry = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(this::accept);
    }

    int port() {
        return entry.getLocalPort();
    }

    /** Loses the answer to the next request with a text, plain or in hexadecimal digits. */
    void loseAnswerTo(String text) {
        wanted.set(List.of(text, HexFormat.of().formatHex(text.getBytes(StandardCharsets.ISO_8859_1))));
    }

    /** Number of lost answers. */
    int cuts() {
        return cuts.get();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = entry.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                sockets.add(client);
                sockets.add(server);
                Pair pair = new Pair(client, server);
                start(pair::requests);
                start(pair::answers);
            }
        } catch (IOException e) {
            close();
        }
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "proxy");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        quietly(entry);
        sockets.forEach(CuttingProxy::quietly);
    }

    private static void quietly(AutoCloseable each) {
        try {
            each.close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** One connection. */
    private final class Pair {
        private final Socket client;
        private final Socket server;
        private volatile boolean isLost;

        Pair(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        void requests() {
            pump(client, server, true);
        }

        void answers() {
            pump(server, client, false);
        }

        private void pump(Socket from, Socket to, boolean isRequest) {
            byte[] buffer = new byte[1 << 17];
            try (from;
                    to) {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                    if (isRequest) {
                        note(new String(buffer, 0, length, StandardCharsets.ISO_8859_1));
                    } else if (isLost) {
                        cuts.incrementAndGet();
                        return;
                    }
                    out.write(buffer, 0, length);
                }
            } catch (IOException e) {
                isLost = true;
            }
        }

        private void note(String request) {
            List<String> texts = wanted.get();
            if (texts.stream().anyMatch(request::contains) && wanted.compareAndSet(texts, List.of())) {
                isLost = true;
            }
        }
    }
}
