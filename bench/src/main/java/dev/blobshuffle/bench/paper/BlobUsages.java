package dev.blobshuffle.bench.paper;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.simulator.SimulatedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The blobs that a reader may still read, so that the store can delete the others. A blob's
 * notifications are sent when the blob and all blobs that its writer began to put before it are
 * stored; a part of them is sent earlier. Guarded by the simulation's baton.
 */
final class BlobUsages {
    /** Time for which a read blob is kept, so that second requests for a section find it too. */
    private static final Duration KEPT = Duration.ofSeconds(1);

    private final SimulatedTime time;
    private final Map<BlobId, Usage> usages = new HashMap<>();
    private final List<BlobId> storedAgain = new ArrayList<>();

    BlobUsages(SimulatedTime time) {
        this.time = time;
    }

    private static final class Usage {
        private final Writer writer;
        private final Set<BlobId> before;
        private long storedNanos;
        private long waitedNanos;
        private int unread;
        private boolean isStored;
        private boolean isSent;
        private Duration since = Duration.ZERO;

        private Usage(Writer writer) {
            this.writer = writer;
            before = new LinkedHashSet<>(writer.inFlight);
        }

        /** Whether no more notifications will be sent, and all sent ones have been read. */
        private boolean isOver(Duration now) {
            if (!before.isEmpty()) {
                before.retainAll(writer.inFlight);
                since = now;
            }
            Duration old = now.minus(KEPT);
            return isStored && isSent && unread == 0 && before.isEmpty() && since.compareTo(old) < 0;
        }
    }

    /** The puts of one instance. */
    final class Writer {
        private final Set<BlobId> inFlight = new LinkedHashSet<>();

        /** Records the start of a put, the first or second one of a blob. */
        void puts(BlobId blob) {
            if (!usages.containsKey(blob)) {
                usages.put(blob, new Usage(this));
                inFlight.add(blob);
            }
        }

        /** Records the success of a put. The first success of a hedged put counts. */
        void wasStored(BlobId blob) {
            Usage usage = usages.get(blob);
            if (usage == null) {
                storedAgain.add(blob);
            } else if (!usage.isStored) {
                usage.isStored = true;
                usage.storedNanos = time.elapsed().toNanos();
                inFlight.remove(blob);
            }
        }
    }

    /** The recorder of one instance's puts. */
    Writer writer() {
        return new Writer();
    }

    /** Records that a notification is sent. */
    void wasSent(BlobId blob) {
        Usage usage = usage(blob);
        usage.unread++;
        usage.since = time.elapsed();
        usage.waitedNanos = usage.since.toNanos() - usage.storedNanos;
        usage.isSent = true;
    }

    /** Records that a segment was read to its end. */
    void wasRead(BlobId blob) {
        Usage usage = usage(blob);
        usage.unread--;
        usage.since = time.elapsed();
    }

    /**
     * How long a stored blob's notifications waited for those of earlier blobs, nanoseconds. The
     * engine keeps the order of each partition, so one slow put delays later blobs.
     */
    long orderWait(BlobId blob) {
        return usage(blob).waitedNanos;
    }

    /** Removes the blobs that no reader needs any more, and returns them. */
    List<BlobId> removeRead() {
        Duration now = time.elapsed();
        List<BlobId> done = new ArrayList<>(storedAgain);
        storedAgain.clear();
        usages.forEach((blob, usage) -> {
            if (usage.isOver(now)) {
                done.add(blob);
            }
        });
        done.forEach(usages::remove);
        return done;
    }

    private Usage usage(BlobId blob) {
        Usage usage = usages.get(blob);
        if (usage == null) {
            throw new IllegalStateException("Cannot find blob " + blob
                    + ": it was deleted before its last notification. Report this as a bug.");
        }
        return usage;
    }
}
