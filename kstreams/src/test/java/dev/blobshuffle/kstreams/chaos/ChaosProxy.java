package dev.blobshuffle.kstreams.chaos;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A connection from an instance to a broker that can be blocked, in one or both directions. As in a
 * real network partition, bytes in flight wait, and both sides notice only by their own timeouts.
 * When the partition ends, the bytes arrive late, or the connections are gone. Thread-safe.
 */
final class ChaosProxy implements AutoCloseable {
    private static final int BUFFER = 32 << 10;

    private final int target;
    private final ServerSocket server;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Set<Direction> blocked = EnumSet.noneOf(Direction.class); // guarded by this

    /** The direction of bytes. */
    enum Direction {
        TO_BROKER,
        TO_INSTANCE
    }

    /** The fate of bytes that a partition has held up. */
    enum Backlog {
        /** They arrive. */
        DELIVERED,
        /** They are lost, with their connections. */
        LOST
    }

    ChaosProxy(int port, int target) throws IOException {
        this.target = target;
        this.server = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
        start("chaos-proxy-" + port, this::accept);
    }

    synchronized void block(Set<Direction> directions) {
        blocked.addAll(directions);
    }

    void heal(Backlog backlog) {
        if (backlog == Backlog.LOST) {
            open.forEach(ChaosProxy::close);
        }
        synchronized (this) {
            blocked.clear();
            notifyAll();
        }
    }

    private synchronized void awaitOpen(Direction direction) throws InterruptedException {
        while (blocked.contains(direction)) {
            wait();
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket instance = server.accept();
                open.add(instance);
                start("chaos-proxy-connect", () -> connect(instance));
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private void connect(Socket instance) {
        try {
            awaitOpen(Direction.TO_BROKER);
            Socket broker = new Socket(InetAddress.getLoopbackAddress(), target);
            broker.setTcpNoDelay(true);
            instance.setTcpNoDelay(true);
            open.add(broker);
            start("chaos-proxy-pump", () -> pump(broker, instance, Direction.TO_INSTANCE));
            pump(instance, broker, Direction.TO_BROKER);
        } catch (IOException | InterruptedException e) {
            close(instance);
            open.remove(instance);
        }
    }

    private void pump(Socket from, Socket to, Direction direction) {
        byte[] buffer = new byte[BUFFER];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                awaitOpen(direction);
                out.write(buffer, 0, read);
            }
            awaitOpen(direction);
        } catch (IOException | InterruptedException e) {
            // One side has closed, so the other is closed too.
        } finally {
            open.remove(from);
            open.remove(to);
        }
    }

    private static void start(String name, Runnable task) {
        Thread thread = new Thread(null, task, name, 128 << 10);
        thread.setDaemon(true);
        thread.start();
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is closed either way.
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        heal(Backlog.LOST);
    }
}
