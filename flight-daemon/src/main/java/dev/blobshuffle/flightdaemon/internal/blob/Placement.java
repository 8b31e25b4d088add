package dev.blobshuffle.flightdaemon.internal.blob;

import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.flightdaemon.internal.blob.RefusedException.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Chooses a directory of a namespace for each blob at random, weighted by room: free space within a
 * quota. A directory that has failed is skipped for some time. Thread-safe: guarded by itself.
 */
final class Placement {
    private static final long REST_NANOS = Duration.ofSeconds(60).toNanos();
    private static final long RECOUNT_NANOS = Duration.ofSeconds(10).toNanos();

    private final List<BlobRoot> roots;
    private final OptionalLong quota;
    private final Time time;
    private final Map<BlobRoot, State> states = new HashMap<>();

    /** The known state of a directory. */
    private static final class State {
        long failedNanos;
        boolean hasFailed;
        long countedNanos;
        boolean isCounted;
        long used;
    }

    /**
     * Chooses among directories.
     *
     * @param quota most bytes of blobs in each
     */
    Placement(List<BlobRoot> roots, OptionalLong quota, Time time) {
        this.roots = roots;
        this.quota = quota;
        this.time = time;
        roots.forEach(root -> states.put(root, new State()));
    }

    /**
     * The directories with room for a number of bytes, in the order in which to try them. Those
     * that have failed come last.
     *
     * @throws RefusedException no directory has room
     */
    synchronized List<BlobRoot> candidates(long bytes) {
        Map<BlobRoot, Long> awake = new HashMap<>();
        List<BlobRoot> resting = new ArrayList<>();
        for (BlobRoot root : roots) {
            long room = room(root);
            if (room < bytes) {
                continue;
            }
            if (isResting(state(root))) {
                resting.add(root);
            } else {
                awake.put(root, room);
            }
        }
        List<BlobRoot> ordered = new ArrayList<>();
        while (!awake.isEmpty()) {
            BlobRoot drawn = draw(awake);
            awake.remove(drawn);
            ordered.add(drawn);
        }
        ordered.addAll(resting);
        if (ordered.isEmpty()) {
            throw new RefusedException(
                    Reason.EXHAUSTED,
                    "Cannot store " + bytes + " bytes: no directory of the namespace has room for them"
                            + (quota.isPresent() ? " within the quota of " + quota.getAsLong() + " bytes" : "")
                            + ". Release shuffles, raise --quota or add a directory.");
        }
        return ordered;
    }

    private BlobRoot draw(Map<BlobRoot, Long> rooms) {
        double all = rooms.values().stream().mapToDouble(Long::doubleValue).sum();
        double mark = (time.randomLong() >>> 11) * 0x1p-53 * all;
        BlobRoot last = roots.get(0);
        for (Map.Entry<BlobRoot, Long> entry : rooms.entrySet()) {
            last = entry.getKey();
            mark -= entry.getValue();
            if (mark < 0) {
                break;
            }
        }
        return last;
    }

    private long room(BlobRoot root) {
        long free = root.freeBytes();
        return quota.isEmpty() ? free : Math.min(free, quota.getAsLong() - used(root));
    }

    private long used(BlobRoot root) {
        State state = state(root);
        long now = time.nanos();
        if (!state.isCounted || now - state.countedNanos > RECOUNT_NANOS) {
            state.used = root.usedBytes();
            state.countedNanos = now;
            state.isCounted = true;
        }
        return state.used;
    }

    private boolean isResting(State state) {
        return state.hasFailed && time.nanos() - state.failedNanos < REST_NANOS;
    }

    private State state(BlobRoot root) {
        return states.computeIfAbsent(root, key -> new State());
    }

    /**
     * Counts bytes before they are written.
     *
     * @throws RefusedException the quota does not allow them
     */
    synchronized void take(BlobRoot root, long bytes) {
        if (quota.isEmpty()) {
            return;
        }
        if (used(root) + bytes > quota.getAsLong()) {
            throw new RefusedException(
                    Reason.EXHAUSTED,
                    "Cannot store " + bytes + " more bytes in " + root.directory() + ": its quota is "
                            + quota.getAsLong() + " bytes. Release shuffles, or raise --quota.");
        }
        state(root).used += bytes;
    }

    /** Makes the next request measure the used bytes again, because blobs have been released. */
    synchronized void recount() {
        states.values().forEach(state -> state.isCounted = false);
    }

    /** Marks a directory as failed. */
    synchronized void leave(BlobRoot root) {
        State state = state(root);
        state.hasFailed = true;
        state.failedNanos = time.nanos();
    }
}
