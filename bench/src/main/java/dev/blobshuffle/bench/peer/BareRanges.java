package dev.blobshuffle.bench.peer;

import dev.blobshuffle.bench.process.StartedServer;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.zip.CRC32C;

/** Reads from a {@link BareServer} over one connection for each reader. Thread-safe. */
final class BareRanges implements Ranges {
    private final BareTls tls;
    private final StartedServer server;
    private final String host;
    private final int port;
    private final Queue<Socket> idle = new ConcurrentLinkedQueue<>();

    /** Writes the blobs to files, and starts a server that has them. */
    BareRanges(Path directory, ServingPlan plan, byte[][] blobs) throws IOException, InterruptedException {
        for (int i = 0; i < blobs.length; i++) {
            Files.write(BareServer.file(directory, i), blobs[i]);
        }
        tls = plan.transport() == ServingPlan.Transport.TLS ? BareTls.create(directory) : BareTls.none();
        server = StartedServer.start(
                directory,
                BareServer.class.getName(),
                List.of(),
                List.of(directory.toString(), blobs.length + "", plan.tier().name(), tls.argument()));
        host = server.endpoint().substring(0, server.endpoint().lastIndexOf(':'));
        port = Integer.parseInt(server.endpoint().substring(host.length() + 1));
    }

    @Override
    public long pid() {
        return server.pid();
    }

    /** No effect: the server has all blobs from the start. */
    @Override
    public void load(int blob) {}

    @Override
    public long checksum(int blob, int offset, int length) throws IOException {
        Socket kept = idle.poll();
        Socket socket = kept == null ? tls.connect(host, port) : kept;
        socket.getOutputStream()
                .write(ByteBuffer.allocate(BareServer.REQUEST_BYTES)
                        .putInt(blob)
                        .putInt(offset)
                        .putInt(length)
                        .array());
        byte[] bytes = socket.getInputStream().readNBytes(length);
        idle.add(socket);
        CRC32C came = new CRC32C();
        came.update(bytes);
        return came.getValue();
    }

    @Override
    public void close() {
        for (Socket socket = idle.poll(); socket != null; socket = idle.poll()) {
            try {
                socket.close();
            } catch (IOException e) {
                // The connection ends with the server.
            }
        }
        server.close();
    }
}
