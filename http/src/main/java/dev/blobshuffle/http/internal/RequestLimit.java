package dev.blobshuffle.http.internal;

import dev.blobshuffle.core.time.Time;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.client5.http.classic.ExecChainHandler;
import org.apache.hc.core5.concurrent.Cancellable;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.io.entity.HttpEntityWrapper;

/**
 * Ends every request, including the body of its answer, at its time limit. It closes the connection
 * while the client reads or writes. A socket's timeout is not enough: it ends only reads, and only
 * those that receive no bytes at all. The timeouts of the stores' clients can be lost, or end with
 * the headers of the answer. Thread-safe.
 */
final class RequestLimit implements ExecChainHandler {
    private final Duration limit;
    private final Time time;

    RequestLimit(Duration limit, Time time) {
        this.limit = limit;
        this.time = time;
    }

    @Override
    public ClassicHttpResponse execute(ClassicHttpRequest request, ExecChain.Scope scope, ExecChain chain)
            throws IOException, HttpException {
        Running running = new Running(scope.originalRequest);
        try {
            ClassicHttpResponse response = chain.proceed(request, scope);
            HttpEntity body = response.getEntity();
            if (body == null) {
                running.end();
            } else {
                response.setEntity(new LimitedBody(body, running));
            }
            return response;
        } catch (IOException | HttpException | RuntimeException e) {
            running.end();
            // Any exception is possible if the connection closes between two steps.
            running.throwIfGivenUp(e);
            throw e;
        } catch (Error e) {
            running.end();
            throw e;
        }
    }

    /** A request in flight. The timer's thread ends it. */
    private final class Running {
        private final ClassicHttpRequest request;
        private final Time.Cancellable timer;
        private volatile boolean isGivenUp;

        Running(ClassicHttpRequest request) {
            this.request = request;
            timer = time.schedule(limit, this::giveUp);
        }

        private void giveUp() {
            isGivenUp = true;
            if (request instanceof Cancellable sent) {
                boolean ignored = sent.cancel();
            }
        }

        /** Ends the limit: the answer is complete, or its reader has given up. */
        void end() {
            timer.cancel();
        }

        void throwIfGivenUp(Exception failure) throws SocketTimeoutException {
            if (isGivenUp) {
                SocketTimeoutException timeout = new SocketTimeoutException("no end after " + limit.toMillis() + " ms");
                timeout.addSuppressed(failure);
                throw timeout;
            }
        }
    }

    /** The body of an answer. Owned by the thread that reads. */
    private static final class LimitedBody extends HttpEntityWrapper {
        private final Running running;

        LimitedBody(HttpEntity body, Running running) {
            super(body);
            this.running = running;
        }

        @Override
        public InputStream getContent() throws IOException {
            return new LimitedContent(super.getContent(), running);
        }

        @Override
        public void close() throws IOException {
            running.end();
            super.close();
        }
    }

    /** The bytes of an answer. Owned by the thread that reads. */
    private static final class LimitedContent extends FilterInputStream {
        private final Running running;

        LimitedContent(InputStream content, Running running) {
            super(content);
            this.running = running;
        }

        @Override
        public int read() throws IOException {
            try {
                return watched(super.read());
            } catch (IOException e) {
                throw failed(e);
            }
        }

        @Override
        public int read(byte[] to, int offset, int length) throws IOException {
            try {
                return watched(super.read(to, offset, length));
            } catch (IOException e) {
                throw failed(e);
            }
        }

        private int watched(int result) {
            if (result < 0) {
                running.end();
            }
            return result;
        }

        private IOException failed(IOException failure) throws SocketTimeoutException {
            running.end();
            running.throwIfGivenUp(failure);
            return failure;
        }

        /** Reads the remaining bytes within the limit, so that the connection can be reused. */
        @Override
        public void close() throws IOException {
            try {
                super.close();
            } finally {
                running.end();
            }
        }
    }
}
