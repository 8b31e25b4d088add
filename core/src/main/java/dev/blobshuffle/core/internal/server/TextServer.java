package dev.blobshuffle.core.internal.server;

import dev.blobshuffle.core.time.Time;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server of short pages over HTTP/1.1: one request without a body per connection. One thread
 * serves all connections without blocking, so a slow client does not delay others. A client must
 * send its whole request within a deadline, and read the answer within another. The JDK's server
 * has no such limits per server, and uses a thread per request. Thread-safe.
 */
public final class TextServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TextServer.class);
    private static final int LONGEST_REQUEST = 8 << 10;
    private static final int MOST_CONNECTIONS = 128;
    private static final int MOST_OF_ADDRESS = 64;
    private static final String TOO_MANY = "too many connections at a time";

    private final Function<Request, Page> pages;
    private final Duration deadline;
    private final EndedConnections ended;
    private final Time time;
    private final Time.Workers thread;
    private final Selector selector;
    private final ServerSocketChannel listening;
    private final ConnectionPlaces<Connection> places = new ConnectionPlaces<>(MOST_CONNECTIONS, MOST_OF_ADDRESS);

    /**
     * Connections by ascending number, so the oldest come first. Owned by the server's thread, like
     * the next field.
     */
    private final TreeMap<Long, Connection> open = new TreeMap<>();

    private long connections;
    private volatile boolean isClosed;

    /**
     * A client's request.
     *
     * @param method as sent, such as {@code GET}
     * @param path without the query
     */
    public record Request(String method, String path) {}

    /**
     * An answer.
     *
     * @param status the HTTP status with its reason: {@code 200 OK}
     * @param headers the headers, in addition to those for length and connection
     * @param text the body
     */
    public record Page(String status, Map<String, String> headers, String text) {
        /** A page in plain text. */
        public static Page plain(String status, String text) {
            return new Page(status, Map.of("Content-Type", "text/plain; charset=utf-8"), text);
        }
    }

    private TextServer(
            InetSocketAddress address,
            Duration deadline,
            EndedConnections ended,
            Time time,
            Function<Request, Page> pages)
            throws IOException {
        this.pages = pages;
        this.deadline = deadline;
        this.ended = ended;
        this.time = time;
        selector = Selector.open();
        listening = ServerSocketChannel.open();
        try {
            listening.bind(address, 1024);
            listening.configureBlocking(false);
            listening.register(selector, SelectionKey.OP_ACCEPT);
        } catch (IOException e) {
            listening.close();
            selector.close();
            throw e;
        }
        thread = time.workers("blobshuffle-metrics", 1);
    }

    /**
     * Starts the server.
     *
     * @param deadline time for a whole request, and again for its answer
     * @param ended receives the connections that the server closed
     * @param pages answers requests; called by the server's thread
     * @throws IOException the server cannot listen at the address
     */
    public static TextServer start(
            InetSocketAddress address,
            Duration deadline,
            EndedConnections ended,
            Time time,
            Function<Request, Page> pages)
            throws IOException {
        TextServer server = new TextServer(address, deadline, ended, time, pages);
        server.thread.execute(server::run);
        return server;
    }

    /** The port of the server. */
    public int port() {
        return listening.socket().getLocalPort();
    }

    private void run() {
        try {
            while (!isClosed) {
                selector.select(Math.max(1, untilNextDeadline()));
                for (SelectionKey key : selector.selectedKeys()) {
                    serve(key);
                }
                selector.selectedKeys().clear();
                endLate();
            }
        } catch (IOException | ClosedSelectorException e) {
            if (!isClosed) {
                LOG.error("The server at port {} has failed. Restart the process to see metrics again.", port(), e);
            }
        } finally {
            open.values().forEach(Connection::close);
        }
    }

    private long untilNextDeadline() {
        long now = time.nanos();
        return open.values().stream()
                .mapToLong(connection -> TimeUnit.NANOSECONDS.toMillis(connection.untilNanos - now) + 1)
                .min()
                .orElse(Duration.ofMinutes(1).toMillis());
    }

    private void serve(SelectionKey key) {
        if (!key.isValid()) {
            return;
        }
        if (key.isAcceptable()) {
            accept();
            return;
        }
        Connection connection = (Connection) key.attachment();
        try {
            connection.advance(key);
        } catch (IOException | RuntimeException e) {
            LOG.debug("A connection failed.", e);
            end(connection);
        }
    }

    private void accept() {
        SocketChannel channel = null;
        try {
            channel = listening.accept();
            if (channel == null) {
                return;
            }
            channel.configureBlocking(false);
            Connection connection = new Connection(connections++, channel);
            channel.register(selector, SelectionKey.OP_READ, connection);
            open.put(connection.number, connection);
            Optional<Connection> out = places.enter(connection, connection.address);
            out.ifPresent(one -> cut(one, TOO_MANY));
        } catch (IOException e) {
            LOG.debug("A connection could not be accepted.", e);
            if (channel != null) {
                closeQuietly(channel);
            }
        }
    }

    private void endLate() {
        long now = time.nanos();
        open.values().stream()
                .filter(connection -> now - connection.untilNanos >= 0)
                .toList()
                .forEach(connection ->
                        cut(connection, "it took longer than " + deadline.toMillis() + " ms for a request"));
    }

    private void cut(Connection connection, String reason) {
        ended.ended(connection.address, reason);
        end(connection);
    }

    private void end(Connection connection) {
        open.remove(connection.number);
        places.leave(connection);
        connection.close();
    }

    private static void closeQuietly(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("A connection could not be closed.", e);
        }
    }

    /** Ends the server and its connections. Idempotent. */
    @Override
    public void close() {
        isClosed = true;
        try {
            listening.close();
            selector.close();
        } catch (IOException e) {
            LOG.debug("The server could not be closed.", e);
        }
        thread.close();
    }

    /** One request and its answer. Owned by the server's thread. */
    private final class Connection {
        private final long number;
        private final SocketChannel channel;
        private final InetAddress address;
        private ByteBuffer bytes = ByteBuffer.allocate(LONGEST_REQUEST);
        private boolean isAnswering;
        private long untilNanos = time.nanos() + deadline.toNanos();

        Connection(long number, SocketChannel channel) {
            this.number = number;
            this.channel = channel;
            address = channel.socket().getInetAddress();
        }

        void advance(SelectionKey key) throws IOException {
            if (!isAnswering) {
                read(key);
            }
            if (isAnswering) {
                channel.write(bytes);
                if (!bytes.hasRemaining()) {
                    channel.shutdownOutput();
                    end(this);
                }
            }
        }

        private void read(SelectionKey key) throws IOException {
            if (channel.read(bytes) < 0) {
                end(this);
                return;
            }
            String text = new String(bytes.array(), 0, bytes.position(), StandardCharsets.ISO_8859_1);
            if (text.contains("\r\n\r\n") || text.contains("\n\n")) {
                answer(key, text.lines().findFirst().orElse(""));
            } else if (!bytes.hasRemaining()) {
                answer(key, "");
            }
        }

        private void answer(SelectionKey key, String line) {
            String[] words = line.split(" ", -1);
            boolean isRequest = words.length == 3 && words[2].startsWith("HTTP/1.");
            Page page = isRequest
                    ? pages.apply(new Request(words[0], words[1].split("\\?", 2)[0]))
                    : Page.plain("400 Bad Request", "Cannot read the request. Speak HTTP/1.1.\n");
            byte[] body = page.text().getBytes(StandardCharsets.UTF_8);
            StringBuilder head = new StringBuilder("HTTP/1.1 " + page.status() + "\r\n");
            page.headers()
                    .forEach((name, value) ->
                            head.append(name).append(": ").append(value).append("\r\n"));
            head.append("Content-Length: ").append(body.length).append("\r\nConnection: close\r\n\r\n");
            byte[] start = head.toString().getBytes(StandardCharsets.ISO_8859_1);
            boolean isHead = words[0].equals("HEAD");
            bytes = ByteBuffer.allocate(start.length + (isHead ? 0 : body.length))
                    .put(start);
            if (!isHead) {
                bytes.put(body);
            }
            bytes.flip();
            isAnswering = true;
            untilNanos = time.nanos() + deadline.toNanos();
            places.earn(this);
            key.interestOps(SelectionKey.OP_WRITE);
        }

        void close() {
            closeQuietly(channel);
        }
    }
}
