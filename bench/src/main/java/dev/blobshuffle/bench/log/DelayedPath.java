package dev.blobshuffle.bench.log;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * A port on the loopback interface behind which a server seems to be far away. Bytes arrive later
 * in each direction; the bandwidth does not change. Thread-safe.
 */
final class DelayedPath implements AutoCloseable {
    private static final int CHUNK_BYTES = 64 * 1024;
    private static final int CHUNKS = 256;

    private final int target;
    private final Duration delay;
    private final ServerSocket server;
    private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();

    /**
     * Opens the port.
     *
     * @param target the server's port
     * @param roundTrip time that is added to each answer
     */
    DelayedPath(int target, Duration roundTrip) throws IOException {
        this.target = target;
        this.delay = roundTrip.dividedBy(2);
        server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        run(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    private record Chunk(byte[] bytes, long due) {}

    private void accept() {
        try {
            while (true) {
                Socket client = server.accept();
                Socket far = new Socket(InetAddress.getLoopbackAddress(), target);
                connect(client, far);
                connect(far, client);
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private void connect(Socket from, Socket to) throws IOException {
        from.setTcpNoDelay(true);
        sockets.add(from);
        BlockingQueue<Chunk> underWay = new ArrayBlockingQueue<>(CHUNKS);
        run(() -> read(from, underWay));
        run(() -> write(underWay, to));
    }

    private void read(Socket from, BlockingQueue<Chunk> underWay) {
        byte[] buffer = new byte[CHUNK_BYTES];
        try {
            InputStream in = from.getInputStream();
            int length;
            do {
                length = in.read(buffer);
                byte[] bytes = Arrays.copyOf(buffer, Math.max(length, 0)); // Empty: the end.
                underWay.put(new Chunk(bytes, System.nanoTime() + delay.toNanos()));
            } while (length > 0);
        } catch (IOException | InterruptedException e) {
            close();
        }
    }

    private void write(BlockingQueue<Chunk> underWay, Socket to) {
        try {
            OutputStream out = to.getOutputStream();
            for (Chunk chunk = underWay.take(); chunk.bytes.length > 0; chunk = underWay.take()) {
                for (long wait = chunk.due - System.nanoTime(); wait > 0; wait = chunk.due - System.nanoTime()) {
                    LockSupport.parkNanos(wait);
                }
                out.write(chunk.bytes);
            }
            to.close();
        } catch (IOException | InterruptedException e) {
            close();
        }
    }

    private static void run(Runnable work) {
        Thread thread = new Thread(work, "delayed-path");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            server.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            // The socket ends with the process.
        }
    }
}
