package dev.blobshuffle.flight.internal.blob;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The footers that were used last, within a budget of bytes. Thread-safe: guarded by itself. */
final class FooterCache {
    private final long budget;
    private final Map<StoredBlob, BlobFooter> footers = new LinkedHashMap<>(16, 0.75f, true);
    private long used;

    FooterCache(long budget) {
        this.budget = budget;
    }

    synchronized Optional<BlobFooter> get(StoredBlob blob) {
        return Optional.ofNullable(footers.get(blob));
    }

    synchronized void put(StoredBlob blob, BlobFooter footer) {
        remove(blob);
        if (footer.weight() > budget) {
            return;
        }
        BlobFooter before = footers.put(blob, footer);
        used += footer.weight() - (before == null ? 0 : before.weight());
        Iterator<BlobFooter> oldest = footers.values().iterator();
        while (used > budget) {
            used -= oldest.next().weight();
            oldest.remove();
        }
    }

    synchronized void remove(StoredBlob blob) {
        BlobFooter removed = footers.remove(blob);
        used -= removed == null ? 0 : removed.weight();
    }

    synchronized long usedBytes() {
        return used;
    }
}
