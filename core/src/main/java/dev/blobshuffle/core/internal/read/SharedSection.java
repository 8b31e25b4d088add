package dev.blobshuffle.core.internal.read;

import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A section of a blob: the parts of it that Debatchers of this instance will read, and its
 * downloads. Guarded by {@link SharedReads}.
 */
final class SharedSection {
    private final Key key;

    /** The wanted parts, by their start. */
    private final NavigableMap<Long, Wanted> wanted = new TreeMap<>();

    private final List<SharedDownload> downloads = new ArrayList<>(1);

    SharedSection(Key key) {
        this.key = key;
    }

    /** Names a section. */
    record Key(BlobId blob, long offset, long length) {
        /** The section around a range. */
        static Key of(BlobId blob, BlobRange range) {
            return new Key(blob, range.sectionOffset(), range.sectionLength());
        }

        /** The section around a segment. */
        static Key of(Notification of) {
            return new Key(of.blob(), of.sectionOffset(), of.sectionLength());
        }
    }

    /** A part that a number of Debatchers want. */
    private record Wanted(long end, int readers) {}

    Key key() {
        return key;
    }

    /** Adds a Debatcher that will read a part. */
    void want(long from, long to) {
        Wanted before = wanted.getOrDefault(from, new Wanted(to, 0));
        wanted.put(from, new Wanted(Math.max(before.end, to), before.readers + 1));
    }

    /** Removes a Debatcher that will no longer read the part that starts at a place. */
    void unwant(long from) {
        Wanted before = wanted.get(from);
        if (before != null && before.readers > 1) {
            wanted.put(from, new Wanted(before.end, before.readers - 1));
        } else {
            wanted.remove(from);
        }
    }

    /** Whether a Debatcher will read a part that starts in a range. */
    boolean isWanted(BlobRange range) {
        Long next = wanted.ceilingKey(range.offset());
        return next != null && next < range.end();
    }

    boolean isEmpty() {
        return wanted.isEmpty() && downloads.isEmpty();
    }

    /** The download that covers a range, if any. */
    @Nullable
    SharedDownload covering(BlobRange range) {
        for (SharedDownload each : downloads) {
            if (each.covers(range)) {
                return each;
            }
        }
        return null;
    }

    List<SharedDownload> downloads() {
        return List.copyOf(downloads);
    }

    void add(SharedDownload download) {
        downloads.add(download);
    }

    void remove(SharedDownload download) {
        downloads.remove(download);
    }

    /**
     * A range, extended by its wanted neighbours on both sides.
     *
     * @param largestGap most bytes between two neighbours, which are read too
     * @param largest most bytes of the result, unless the range itself is longer
     */
    BlobRange extended(BlobRange range, long largestGap, long largest) {
        long from = range.offset();
        long to = range.end();
        for (Map.Entry<Long, Wanted> next : wanted.tailMap(from, true).entrySet()) {
            long end = Math.max(to, next.getValue().end);
            if (next.getKey() - to > largestGap || end - from > largest) {
                break;
            }
            to = end;
        }
        for (Map.Entry<Long, Wanted> next :
                wanted.headMap(from, false).descendingMap().entrySet()) {
            long end = next.getValue().end;
            if (from - end > largestGap || to - next.getKey() > largest || end > from) {
                break;
            }
            from = next.getKey();
        }
        return new BlobRange(range.sectionOffset(), range.sectionLength(), from, to - from);
    }
}
