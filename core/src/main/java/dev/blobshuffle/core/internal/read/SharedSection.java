package dev.blobshuffle.core.internal.read;

import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
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

    /** A part, and the Debatchers that want it. */
    private static final class Wanted {
        private final List<SharedReader> readers = new ArrayList<>(1);
        private long end;
    }

    Key key() {
        return key;
    }

    /** Records that a Debatcher will read a part. */
    void want(SharedReader reader, long from, long to) {
        Wanted part = wanted.computeIfAbsent(from, start -> new Wanted());
        part.end = Math.max(part.end, to);
        part.readers.add(reader);
    }

    /** Records that a Debatcher will no longer read the part that starts at a place. */
    void unwant(SharedReader reader, long from) {
        Wanted part = wanted.get(from);
        if (part != null && part.readers.remove(reader) && part.readers.isEmpty()) {
            wanted.remove(from);
        }
    }

    /** Whether a Debatcher will read a part that starts in a range. */
    boolean isWanted(BlobRange range) {
        Long next = wanted.ceilingKey(range.offset());
        return next != null && next < range.end();
    }

    /** The other Debatchers that keep up and will read a part that starts in a range. */
    Set<SharedReader> awaited(BlobRange range, SharedReader by, long nowNanos) {
        Set<SharedReader> awaited = new HashSet<>(4);
        for (Wanted part : wanted.subMap(range.offset(), range.end()).values()) {
            for (SharedReader each : part.readers) {
                if (each != by && each.keepsUp(nowNanos)) {
                    awaited.add(each);
                }
            }
        }
        return awaited;
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
