package dev.blobshuffle.s3sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.ClosedException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What HTTP clients hide: framing, permission to send, idle connections. */
class S3SimWireTest {
    private static final int PATIENCE_MILLIS = 60_000;

    private S3Sim sim = S3Sim.builder().bucket("blobs").start();

    @AfterEach
    void close() {
        sim.close();
    }

    @Test
    void anAwsChunkedBodyIsUnframedAndItsTrailerChecked() throws Exception {
        String payload = "0123456789abcdef";
        String chunks = "a;chunk-signature=00\r\n0123456789\r\n6\r\nabcdef\r\n0\r\nx-amz-checksum-crc32c:%s\r\n\r\n";
        String head = "PUT /blobs/%s HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: aws-chunked\r\n"
                + "x-amz-decoded-content-length: 16\r\nx-amz-trailer: x-amz-checksum-crc32c\r\n";
        String right = String.format(chunks, crc32c(payload));
        String wrong = String.format(chunks, "AAAAAA==");
        try (Socket socket = connect()) {
            say(socket, String.format(head, "a") + "Content-Length: " + right.length() + "\r\n\r\n" + right);
            assertThat(answer(socket)).startsWith("HTTP/1.1 200");
            say(socket, String.format(head, "b") + "Content-Length: " + wrong.length() + "\r\n\r\n" + wrong);
            assertThat(answer(socket)).startsWith("HTTP/1.1 400").contains("BadDigest");
            // The same inside HTTP's own chunks.
            say(
                    socket,
                    String.format(head, "c") + "Transfer-Encoding: chunked\r\n\r\n"
                            + Integer.toHexString(right.length()) + "\r\n" + right + "\r\n0\r\n\r\n");
            assertThat(answer(socket)).startsWith("HTTP/1.1 200");
            say(socket, "GET /blobs/c HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(answer(socket)).startsWith("HTTP/1.1 200").endsWith(payload);
        }
        assertThat(sim.keys("blobs")).containsExactly("a", "c");
        assertThat(sim.counts().bytesIn()).isEqualTo(2 * payload.length());
    }

    @Test
    void aClientThatAsksFirstIsToldToSendOrNot() throws Exception {
        String put = "PUT /%s/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n";
        try (Socket socket = connect()) {
            say(socket, String.format(put, "blobs"));
            assertThat(line(socket.getInputStream())).isEqualTo("HTTP/1.1 100 Continue");
            assertThat(line(socket.getInputStream())).isEmpty();
            say(socket, "abc");
            assertThat(answer(socket)).startsWith("HTTP/1.1 200");
            say(socket, String.format(put, "missing"));
            assertThat(answer(socket)).startsWith("HTTP/1.1 404").contains("NoSuchBucket", "Connection: close");
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void aBucketMayBeNamedByTheHost() throws Exception {
        try (Socket socket = connect()) {
            say(
                    socket,
                    "PUT /a/b%20c HTTP/1.1\r\nHost: blobs.localhost:" + sim.port() + "\r\nContent-Length: 2\r\n\r\nhi");
            assertThat(answer(socket)).startsWith("HTTP/1.1 200");
        }
        assertThat(sim.keys("blobs")).containsExactly("a/b c");
    }

    @Test
    void anIdleConnectionIsClosed() throws Exception {
        long millis = 50;
        while (!isClosedAfterAnAnswer(Duration.ofMillis(millis))) {
            millis *= 8;
        }
    }

    /** False if the machine was too slow to ask in that time. */
    private boolean isClosedAfterAnAnswer(Duration idle) throws Exception {
        sim.close();
        sim = S3Sim.builder().bucket("blobs").idle(idle).start();
        try (Socket socket = connect()) {
            String answer;
            try {
                say(socket, "HEAD /blobs HTTP/1.1\r\nHost: localhost\r\n\r\n");
                answer = answer(socket);
            } catch (IOException e) {
                answer = "";
            }
            if (answer.isEmpty()) {
                assertThat(idle).as("enough to ask").isLessThan(Duration.ofSeconds(20));
                return false;
            }
            assertThat(answer).startsWith("HTTP/1.1 200");
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
            return true;
        }
    }

    @Test
    void connectionsHaveABound() throws Exception {
        sim.close();
        sim = S3Sim.builder().bucket("blobs").connections(1).start();
        try (Socket first = connect()) {
            say(first, "HEAD /blobs HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(answer(first)).startsWith("HTTP/1.1 200");
            try (Socket second = connect()) {
                assertThatThrownBy(() -> {
                            if (second.getInputStream().read() < 0) {
                                throw new IOException("closed");
                            }
                        })
                        .isInstanceOf(IOException.class)
                        .isNotInstanceOf(SocketTimeoutException.class);
            }
        }
        assertThat(sim.acceptedConnections()).isEqualTo(1);
    }

    @Test
    void anAnswerMayStopInTheMiddle() throws Exception {
        try (Socket socket = connect()) {
            say(socket, "PUT /blobs/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n0123456789");
            assertThat(answer(socket)).startsWith("HTTP/1.1 200");
            sim.follow(WireFaultPlan.always(WireFault.stall(WireFault.Kind.STALL_MIDWAY, Duration.ofHours(1))));
            say(socket, "GET /blobs/a HTTP/1.1\r\nHost: localhost\r\n\r\n");
            InputStream in = socket.getInputStream();
            while (!line(in).isEmpty()) {}
            assertThat(in.readNBytes(5)).isEqualTo("01234".getBytes(StandardCharsets.US_ASCII));
            socket.setSoTimeout(100);
            assertThatThrownBy(in::read).isInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void nonsenseEndsTheConnection() throws Exception {
        for (String nonsense : new String[] {
            "hello\r\n\r\n",
            "GET http://x/ HTTP/1.1\r\n\r\n",
            "GET /blobs/%zz HTTP/1.1\r\n\r\n",
            "PUT /blobs/a HTTP/1.1\r\nContent-Length: many\r\n\r\n",
            "GET / HTTP/1.1\r\n: x\r\n\r\n"
        }) {
            try (Socket socket = connect()) {
                say(socket, nonsense);
                assertThatThrownBy(() -> {
                            if (socket.getInputStream().read() < 0) {
                                throw new IOException("closed");
                            }
                        })
                        .as(nonsense)
                        .isInstanceOf(IOException.class)
                        .isNotInstanceOf(SocketTimeoutException.class);
            }
        }
    }

    /** The accepting thread may hold a connection while the server closes. */
    @Test
    void aConnectionThatComesWhileTheServerClosesIsResetWithoutAFailure() throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket client = new Socket(listener.getInetAddress(), listener.getLocalPort())) {
            client.setSoTimeout(PATIENCE_MILLIS);
            Socket accepted = listener.accept();
            listener.close();
            sim.close();
            sim.take(listener, accepted);
            assertThat(accepted.isClosed()).isTrue();
            assertThat(sim.openConnections()).isZero();
            assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
        }
    }

    /** A server that is not closed and cannot serve a connection is faulty, and must say so. */
    @Test
    void aConnectionThatCannotBeServedOtherwiseIsAFailure() throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket ignored = new Socket(listener.getInetAddress(), listener.getLocalPort())) {
            Socket accepted = listener.accept();
            sim.close();
            assertThatThrownBy(() -> sim.take(listener, accepted)).isInstanceOf(ClosedException.class);
            assertThat(accepted.isClosed()).isTrue();
        }
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), sim.port());
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    private static void say(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Head and body of an answer with a length. */
    private static String answer(Socket socket) throws IOException {
        InputStream in = socket.getInputStream();
        StringBuilder text = new StringBuilder();
        int length = 0;
        String status = line(in);
        for (String line = status; !line.isEmpty(); line = line(in)) {
            text.append(line).append('\n');
            if (line.startsWith("Content-Length: ")) {
                length = Integer.parseInt(line.substring(16));
            }
        }
        return text + new String(in.readNBytes(length), StandardCharsets.UTF_8);
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int b = in.read(); b >= 0 && b != '\n'; b = in.read()) {
            if (b != '\r') {
                line.append((char) b);
            }
        }
        return line.toString();
    }

    private static String crc32c(String text) {
        CRC32C crc = new CRC32C();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return Base64.getEncoder()
                .encodeToString(
                        ByteBuffer.allocate(4).putInt((int) crc.getValue()).array());
    }
}
