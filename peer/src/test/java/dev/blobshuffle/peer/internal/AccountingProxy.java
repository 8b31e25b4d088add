package dev.blobshuffle.peer.internal;

import dev.blobshuffle.core.internal.membership.Endpoint;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** A way to one member, on which every byte is counted. Thread-safe. */
final class AccountingProxy implements AutoCloseable {
    private final Endpoint target;
    private final ServerSocket listening;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final LongAdder toMember = new LongAdder();
    private final LongAdder fromMember = new LongAdder();

    AccountingProxy(Endpoint target) {
        this.target = target;
        try {
            listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        start("accept", this::accept);
    }

    Endpoint endpoint() {
        return new Endpoint(listening.getInetAddress().getHostAddress(), listening.getLocalPort());
    }

    /** Bytes of requests. */
    long toMember() {
        return toMember.sum();
    }

    /** Bytes of answers. */
    long fromMember() {
        return fromMember.sum();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket asker = keep(listening.accept());
                Socket member = keep(new Socket(target.host(), target.port()));
                start("ask", () -> pass(asker, member, toMember));
                start("answer", () -> pass(member, asker, fromMember));
            } catch (IOException e) {
                // The end.
            }
        }
    }

    private Socket keep(Socket socket) throws IOException {
        socket.setTcpNoDelay(true);
        open.add(socket);
        return socket;
    }

    private static void pass(Socket from, Socket to, LongAdder count) {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[64 << 10];
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                count.add(length); // First: whoever has got the bytes sees them counted.
                out.write(buffer, 0, length);
            }
        } catch (IOException e) {
            // One side has gone, and so does the other.
        }
    }

    private static void start(String name, Runnable task) {
        Thread thread = new Thread(task, "proxy-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Socket socket : open) {
            socket.close();
        }
    }
}
