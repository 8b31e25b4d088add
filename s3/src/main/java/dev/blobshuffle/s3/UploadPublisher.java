package dev.blobshuffle.s3;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import software.amazon.awssdk.core.async.AsyncRequestBody;

/**
 * Publishes a blob's content to an asynchronous client. Such a client may still hold buffers after
 * its call has failed, so it receives copies, one part at a time, created on demand. Thread-safe;
 * one thread at a time serves each subscription.
 */
final class UploadPublisher implements AsyncRequestBody {
    private static final int PART = 128 << 10;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final UploadAttempt attempt;
    private final String contentType;

    UploadPublisher(UploadAttempt attempt, String contentType) {
        this.attempt = attempt;
        this.contentType = contentType;
    }

    @Override
    public Optional<Long> contentLength() {
        return Optional.of(attempt.length());
    }

    @Override
    public String contentType() {
        return contentType;
    }

    @Override
    public void subscribe(Subscriber<? super ByteBuffer> subscriber) {
        try {
            subscriber.onSubscribe(new Parts(subscriber, attempt.buffers()));
        } catch (IOException e) {
            Parts nothing = new Parts(subscriber, List.of());
            // Otherwise a request would complete the upload before onError fails it.
            nothing.cancel();
            subscriber.onSubscribe(nothing);
            subscriber.onError(e);
        }
    }

    /**
     * Guarded by this, except calls of the subscriber, which the thread that set {@code isServing}
     * makes.
     */
    private final class Parts implements Subscription {
        private final Subscriber<? super ByteBuffer> subscriber;
        private final Iterator<ByteBuffer> following;
        private ByteBuffer current = NOTHING;
        private long wanted;
        private boolean isServing;
        private boolean isOver;

        Parts(Subscriber<? super ByteBuffer> subscriber, List<ByteBuffer> buffers) {
            this.subscriber = subscriber;
            following = buffers.iterator();
        }

        @Override
        public void request(long count) {
            if (count < 1) {
                cancel();
                subscriber.onError(
                        new IllegalArgumentException("Cannot send " + count + " parts: ask for one or more."));
                return;
            }
            synchronized (this) {
                wanted = wanted + count < 0 ? Long.MAX_VALUE : wanted + count;
                if (isServing) {
                    return; // Served by the thread in the loop, which may be this thread.
                }
                isServing = true;
            }
            while (mayServe()) {
                serve();
            }
        }

        private synchronized boolean mayServe() {
            if (isOver || wanted == 0) {
                isServing = false;
                return false;
            }
            wanted--;
            return true;
        }

        private void serve() {
            try {
                byte[] part = nextPart();
                if (part.length > 0) {
                    subscriber.onNext(ByteBuffer.wrap(part));
                }
                if (!current.hasRemaining()) {
                    cancel();
                    subscriber.onComplete();
                }
            } catch (IOException | RuntimeException e) { // The content may be in a file.
                cancel();
                subscriber.onError(e);
            }
        }

        private byte[] nextPart() throws IOException {
            skipEmpty();
            byte[] part = new byte[Math.min(PART, current.remaining())];
            attempt.copy(current, part, 0, part.length);
            skipEmpty();
            return part;
        }

        private void skipEmpty() {
            while (!current.hasRemaining() && following.hasNext()) {
                current = following.next();
            }
        }

        @Override
        public synchronized void cancel() {
            isOver = true;
        }
    }
}
