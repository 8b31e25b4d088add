package dev.blobshuffle.core.internal.read;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.store.Abandonable;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobRange;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One download that several reads use. It owns the memory of its bytes, so its readers need no
 * budget for them.
 *
 * <pre>
 *   LOADING ──bytes──▶ HELD ──unused, and unwanted or evicted──▶ dropped
 *      └──failure, or all reads abandoned──▶ dropped
 * </pre>
 *
 * <p>All fields are guarded by the {@link SharedReads} that owns the download. Its readers are
 * called without that lock.
 */
final class SharedDownload {
    private final SharedReads owner;
    private final SharedSection section;
    private final SharedReader loader;
    private final BlobRange range;

    /** The reads that wait for the bytes. */
    private final List<Seat> waiting = new ArrayList<>(1);

    private @Nullable CompletionStage<BlobBytes> stage;
    private @Nullable BlobBytes bytes;
    private int views;
    private long unusedSince;
    private boolean isSpoilt;

    /** The last read, if all were abandoned. It ends with the download. */
    private @Nullable Seat last;

    /**
     * A loading download. Room for the range has been acquired.
     *
     * @param loader the reader that begins it
     */
    SharedDownload(SharedReads owner, SharedSection section, SharedReader loader, BlobRange range) {
        this.owner = owner;
        this.section = section;
        this.loader = loader;
        this.range = range;
    }

    /** A read of a part. */
    private final class Seat extends CompletableFuture<BlobBytes> implements Abandonable {
        private final BlobRange part;

        Seat(BlobRange part) {
            this.part = part;
        }

        @Override
        public void abandon() {
            leave(this);
        }

        void end() {
            boolean ignored = super.cancel(false);
        }
    }

    /** A part of the held bytes, on loan to one reader. */
    final class View implements BlobBytes {
        private final ByteBuffer part;
        private final AtomicBoolean isOpen = new AtomicBoolean(true);

        private View(ByteBuffer part) {
            this.part = part;
        }

        @Override
        public ByteBuffer buffer() {
            return part;
        }

        @Override
        public void close() {
            if (isOpen.compareAndSet(true, false)) {
                owner.viewClosed(SharedDownload.this);
            }
        }
    }

    SharedSection section() {
        return section;
    }

    BlobRange range() {
        return range;
    }

    /** Records that the bytes are wrong: no further read uses them. */
    void spoil() {
        isSpoilt = true;
    }

    boolean isSpoilt() {
        return isSpoilt;
    }

    /** Whether a read of a part can use this download. */
    boolean covers(BlobRange part) {
        return last == null && !isSpoilt && range.offset() <= part.offset() && part.end() <= range.end();
    }

    /** Whether a reader is at the place where another one is now. */
    boolean isBegunByAnother(SharedReader reader) {
        return bytes == null && reader != loader;
    }

    /** A read of a part. It is complete if the bytes are held. */
    CompletableFuture<BlobBytes> join(BlobRange part) {
        if (bytes != null) {
            return CompletableFuture.completedFuture(view(part));
        }
        Seat seat = new Seat(part);
        waiting.add(seat);
        return seat;
    }

    private View view(BlobRange part) {
        ByteBuffer all = Objects.requireNonNull(bytes).buffer();
        int start = all.position() + Math.toIntExact(part.offset() - range.offset());
        views++;
        return new View(all.slice(start, Math.toIntExact(part.length())));
    }

    /** Counts down the views. */
    void viewClosed(long nowNanos) {
        views--;
        unusedSince = nowNanos;
    }

    /** Whether the bytes are held, and no reader uses them now. */
    boolean isUnused() {
        return bytes != null && views == 0;
    }

    /** When the last reader stopped using the bytes. */
    long unusedSince() {
        return unusedSince;
    }

    /** Takes the bytes out, to close them without the lock. */
    BlobBytes takeBytes() {
        BlobBytes held = Objects.requireNonNull(bytes);
        bytes = null;
        return held;
    }

    /** Sends the request. Called without the lock, once. */
    void start(CompletionStage<BlobBytes> download) {
        var ignored = download.whenComplete(this::ended);
        boolean isAbandoned;
        synchronized (owner) {
            stage = download;
            isAbandoned = last != null;
        }
        if (isAbandoned) {
            Abandonable.abandon(download);
        }
    }

    private void leave(Seat seat) {
        boolean isLast;
        CompletionStage<BlobBytes> running;
        synchronized (owner) {
            if (!waiting.remove(seat)) {
                return;
            }
            isLast = waiting.isEmpty();
            last = isLast ? seat : null;
            running = stage;
        }
        if (!isLast) {
            seat.end();
        } else if (running != null) {
            Abandonable.abandon(running);
        }
    }

    private void ended(@Nullable BlobBytes came, @Nullable Throwable failure) {
        boolean isWhole = came != null && came.buffer().remaining() == range.length();
        List<Seat> served;
        List<View> parts = new ArrayList<>();
        Seat gaveUp;
        synchronized (owner) {
            served = List.copyOf(waiting);
            waiting.clear();
            gaveUp = last;
            if (isWhole && gaveUp == null) {
                bytes = came;
                served.forEach(seat -> parts.add(view(seat.part)));
            } else {
                owner.failed(this);
            }
        }
        if (parts.isEmpty()) {
            Throwable cause = came == null ? cause(failure) : torn(came.buffer().remaining());
            if (came != null) {
                came.close();
            }
            served.forEach(seat -> seat.completeExceptionally(cause));
        }
        for (int i = 0; i < parts.size(); i++) {
            if (!served.get(i).complete(parts.get(i))) {
                parts.get(i).close(); // Its caller cancelled it.
            }
        }
        if (gaveUp != null) {
            gaveUp.end();
        }
    }

    private static Throwable cause(@Nullable Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null
                ? failure.getCause()
                : Objects.requireNonNull(failure);
    }

    private BlobCorruptException torn(int came) {
        return new BlobCorruptException(
                "Cannot read blob " + section.key().blob() + ": " + came + " bytes came for the "
                        + range.length() + " asked for at offset " + range.offset() + " of " + owner.location()
                        + ". Check the network and the proxies before the store.");
    }
}
