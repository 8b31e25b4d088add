package dev.blobshuffle.bench.peer;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * A minimal server of ranges in Java, as a floor for the cost of a real server. It has a thread for
 * each connection. A request is three numbers; the answer is the bytes, written by one call out of
 * direct memory or from a file ({@code transferTo}). It has no protocol, no permissions, no limits
 * and no other members. With TLS it uses the JDK's sockets.
 *
 * <p>It runs as a process of its own, which ends when its standard input ends.
 */
final class BareServer {
    /** Blob, offset and length. */
    static final int REQUEST_BYTES = 3 * Integer.BYTES;

    private static final int TLS_CHUNK_BYTES = 128 << 10;

    private final ServingPlan.Tier tier;
    private final List<FileChannel> files = new ArrayList<>();
    private final List<ByteBuffer> memory = new ArrayList<>();

    private BareServer(Path directory, int blobs, ServingPlan.Tier tier) throws IOException {
        this.tier = tier;
        for (int i = 0; i < blobs; i++) {
            FileChannel file = FileChannel.open(file(directory, i), StandardOpenOption.READ);
            files.add(file);
            if (tier == ServingPlan.Tier.MEMORY) {
                ByteBuffer bytes = ByteBuffer.allocateDirect(Math.toIntExact(file.size()));
                while (bytes.hasRemaining()) {
                    if (file.read(bytes) < 0) {
                        throw new IOException("a blob became shorter");
                    }
                }
                memory.add(bytes.flip());
            }
        }
    }

    /** The file of a blob. */
    static Path file(Path directory, int blob) {
        return directory.resolve("bare-" + blob);
    }

    /**
     * Serves the blobs of a directory, whose number, tier and {@link BareTls} follow as arguments.
     */
    public static void main(String[] arguments) throws IOException {
        BareServer server = new BareServer(
                Path.of(arguments[0]), Integer.parseInt(arguments[1]), ServingPlan.Tier.valueOf(arguments[2]));
        BareTls tls = BareTls.parse(arguments[3]);
        int port = tls.context().isPresent() ? server.listenWith(tls) : server.listen();
        System.out.println("Answers at 127.0.0.1:" + port);
        while (System.in.read() >= 0) {
            // The parent writes nothing.
        }
        System.exit(0);
    }

    private int listen() throws IOException {
        ServerSocketChannel listening = ServerSocketChannel.open();
        listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        start(() -> {
            while (true) {
                SocketChannel connection = listening.accept();
                start(() -> answer(connection));
            }
        });
        return ((InetSocketAddress) listening.getLocalAddress()).getPort();
    }

    private int listenWith(BareTls tls) throws IOException {
        ServerSocket listening = tls.listen();
        start(() -> {
            while (true) {
                Socket connection = listening.accept();
                start(() -> answer(connection));
            }
        });
        return listening.getLocalPort();
    }

    private interface Work {
        void run() throws IOException;
    }

    private static void start(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (IOException e) {
                // The reader has ended. A reader that has not ended reports missing bytes.
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private void answer(SocketChannel connection) throws IOException {
        connection.socket().setTcpNoDelay(true);
        ByteBuffer request = ByteBuffer.allocateDirect(REQUEST_BYTES);
        while (true) {
            request.clear();
            while (request.hasRemaining()) {
                if (connection.read(request) < 0) {
                    connection.close();
                    return;
                }
            }
            request.flip();
            int blob = request.getInt();
            int offset = request.getInt();
            int length = request.getInt();
            if (tier == ServingPlan.Tier.MEMORY) {
                ByteBuffer range = memory.get(blob).slice(offset, length);
                while (range.hasRemaining()) {
                    connection.write(range);
                }
            } else {
                long sent = 0;
                while (sent < length) {
                    sent += files.get(blob).transferTo(offset + sent, length - sent, connection);
                }
            }
        }
    }

    private void answer(Socket connection) throws IOException {
        connection.setTcpNoDelay(true);
        InputStream in = connection.getInputStream();
        OutputStream out = connection.getOutputStream();
        byte[] chunk = new byte[TLS_CHUNK_BYTES];
        for (byte[] read = in.readNBytes(REQUEST_BYTES);
                read.length == REQUEST_BYTES;
                read = in.readNBytes(REQUEST_BYTES)) {
            ByteBuffer request = ByteBuffer.wrap(read);
            int blob = request.getInt();
            int offset = request.getInt();
            int length = request.getInt();
            int sent = 0;
            while (sent < length) {
                int count = Math.min(TLS_CHUNK_BYTES, length - sent);
                if (tier == ServingPlan.Tier.MEMORY) {
                    memory.get(blob).get(offset + sent, chunk, 0, count);
                } else {
                    count = files.get(blob).read(ByteBuffer.wrap(chunk, 0, count), offset + sent);
                }
                out.write(chunk, 0, count);
                sent += count;
            }
        }
        connection.close();
    }
}
