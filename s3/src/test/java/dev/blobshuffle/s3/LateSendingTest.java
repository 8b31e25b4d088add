package dev.blobshuffle.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.store.StoreMarker;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.http.internal.HttpLimits;
import dev.blobshuffle.testkit.LoanCheck;
import dev.blobshuffle.testkit.TrackedContent;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3AsyncClient;

/**
 * Abandons an attempt while the server reads slowly. When the server reads on, the blob's memory
 * holds other bytes, and none of these may arrive. Contents here are zeros, and {@link
 * TrackedContent} overwrites them with another byte when they are released.
 */
class LateSendingTest {
    private static final BlobId ID = new BlobId(29_700_000, 1, 1);
    /** More bytes than the socket buffers hold between a client and a server that does not read. */
    private static final int LENGTH = 48 << 20;

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final Duration HASTY = Duration.ofSeconds(2);

    private static final byte OVERWRITTEN = (byte) 0xDD;

    @RegisterExtension
    final LoanCheck loans = new LoanCheck();

    private final SystemTime time = new SystemTime();
    private SlowReader server = new SlowReader();

    @BeforeEach
    void useCredentials() {
        TestCredentials.use();
    }

    @AfterEach
    void end() throws IOException {
        server.close();
        time.close();
    }

    @Test
    void nothingIsReadAfterABlockingCallTimedOut() throws Exception {
        giveUpAPut(allowed -> isGivenUpInTheMiddle(
                () -> builder(allowed).endpoint(server.endpoint()).pathStyle().open(StoreContext.unmetered(time))));
    }

    @Test
    void nothingIsReadAfterAnAsynchronousCallTimedOut() throws Exception {
        giveUpAPut(this::isAsynchronousCallGivenUpInTheMiddle);
    }

    private boolean isAsynchronousCallGivenUpInTheMiddle(Duration allowed) throws Exception {
        try (S3AsyncClient client = S3AsyncClient.builder()
                .endpointOverride(server.endpoint())
                .forcePathStyle(true)
                .region(Region.US_EAST_1)
                .httpClientBuilder(NettyNioAsyncHttpClient.builder())
                .build()) {
            return isGivenUpInTheMiddle(() -> builder(allowed).client(client).open(StoreContext.unmetered(time)));
        }
    }

    /**
     * The limit may end a request before the connection is established, before the first byte, or
     * while the server does not read.
     */
    @Test
    void aRequestEndsAtItsLimitWhateverItIsDoing() {
        byte[] zeros = new byte[LENGTH];
        for (int millis : new int[] {0, 1, 2, 3, 5, 10, 20, 50, 100}) {
            try (SdkHttpClient client =
                    new S3HttpClient(new HttpLimits(1, PATIENCE, PATIENCE, Duration.ofMillis(millis)), time)) {
                ExecutableHttpRequest request = client.prepareRequest(HttpExecuteRequest.builder()
                        .request(SdkHttpRequest.builder()
                                .method(SdkHttpMethod.PUT)
                                .uri(server.endpoint().resolve("/blobs/key"))
                                .appendHeader("Content-Length", Integer.toString(LENGTH))
                                .build())
                        .contentStreamProvider(() -> new ByteArrayInputStream(zeros))
                        .build());
                assertThatThrownBy(request::call)
                        .isInstanceOf(SocketTimeoutException.class)
                        .hasMessage("no end after " + millis + " ms");
            }
        }
    }

    private static S3BlobStoreBuilder builder(Duration allowed) {
        return S3BlobStores.builder("blobs").timeouts(new S3Timeouts(PATIENCE, PATIENCE, allowed));
    }

    /**
     * A put with a time limit. It returns whether the limit ended it after some of its bytes were
     * sent.
     */
    private interface Attempt {
        boolean isGivenUpInTheMiddle(Duration allowed) throws Exception;
    }

    /**
     * Repeats the attempt with a longer limit while the machine is too slow to send anything in
     * time.
     */
    private void giveUpAPut(Attempt attempt) throws Exception {
        for (Duration allowed = HASTY; !attempt.isGivenUpInTheMiddle(allowed); allowed = allowed.multipliedBy(4)) {
            assertThat(allowed).as("enough to send something").isLessThan(PATIENCE);
            server.close();
            server = new SlowReader();
        }
    }

    private boolean isGivenUpInTheMiddle(Supplier<BlobStore> opener) throws Exception {
        BlobStore opened;
        try {
            opened = opener.get();
        } catch (StoreUnavailableException e) {
            return false;
        }
        try (BlobStore store = opened) {
            TrackedContent content = loans.content(new byte[LENGTH]);
            CompletionStage<Void> put = store.put(ID, content);
            content.release();
            assertThatThrownBy(() -> put.toCompletableFuture().get(2, TimeUnit.MINUTES))
                    .hasCauseInstanceOf(StoreUnavailableException.class);
            assertThat(content.references())
                    .as("given back when the attempt has ended")
                    .isZero();
            server.readOn.countDown();
            return server.isAsked && isWhatWasSentRight(server.received.get(1, TimeUnit.MINUTES));
        }
    }

    /** Fails if a released byte was sent; returns false if no byte was sent. */
    private static boolean isWhatWasSentRight(byte[] received) {
        assertThat(received.length).as("not all was sent").isLessThan(LENGTH);
        for (int i = 0; i < received.length; i++) {
            if (received[i] == OVERWRITTEN) {
                throw new AssertionError("Byte " + i + " of " + received.length + " was sent after it was recycled.");
            }
        }
        return received.length > 0;
    }

    /**
     * Answers reads with a marker. It reads the body of a write only after {@code readOn} is
     * counted down. Owned by the test; its threads end with their connections.
     */
    private static final class SlowReader implements AutoCloseable {
        private final ServerSocket listener;
        private final CountDownLatch readOn = new CountDownLatch(1);
        private final CompletableFuture<byte[]> received = new CompletableFuture<>();
        private volatile boolean isAsked;

        SlowReader() {
            try {
                listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            start("accept", this::accept);
        }

        URI endpoint() {
            return URI.create("http://127.0.0.1:" + listener.getLocalPort());
        }

        private static void start(String name, Runnable task) {
            Thread thread = new Thread(task, "slow-reader-" + name);
            thread.setDaemon(true);
            thread.start();
        }

        private void accept() {
            try {
                while (true) {
                    Socket socket = listener.accept();
                    start("connection", () -> serve(socket));
                }
            } catch (IOException e) {
                // The test has closed the socket.
            }
        }

        private void serve(Socket socket) {
            ByteArrayOutputStream body = new ByteArrayOutputStream();
            boolean isWrite = false;
            try (socket) {
                InputStream in = socket.getInputStream();
                String head = head(in);
                while (head.startsWith("GET")) {
                    answer(socket);
                    head = head(in);
                }
                isWrite = head.startsWith("PUT");
                if (isWrite) {
                    isAsked = true;
                    if (head.contains("100-continue")) {
                        socket.getOutputStream()
                                .write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                    }
                    readOn.await();
                    in.transferTo(body);
                }
            } catch (IOException | InterruptedException e) {
                // The client has closed the connection.
            }
            if (isWrite) {
                received.complete(body.toByteArray());
            }
        }

        private static String head(InputStream in) throws IOException {
            StringBuilder head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                int character = in.read();
                if (character < 0) {
                    return "";
                }
                head.append((char) character);
            }
            return head.toString();
        }

        private static void answer(Socket socket) throws IOException {
            byte[] marker = StoreMarker.content("0123456789abcdef").getBytes(StandardCharsets.UTF_8);
            String head = "HTTP/1.1 206 Partial Content\r\nContent-Length: " + marker.length
                    + "\r\nContent-Range: bytes 0-" + (marker.length - 1) + "/" + marker.length + "\r\n\r\n";
            socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().write(marker);
        }

        @Override
        public void close() throws IOException {
            readOn.countDown();
            listener.close();
        }
    }
}
