package dev.blobshuffle.core.internal.write.seal;

import dev.blobshuffle.core.zone.Zone;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bytes, before compression, that the open batch has for one zone, but for what lanes have not told
 * yet. Thread-safe.
 */
final class SectionFill {
    private final Zone zone;
    private final AtomicLong bytes = new AtomicLong();

    SectionFill(Zone zone) {
        this.zone = zone;
    }

    Zone zone() {
        return zone;
    }

    long add(long more) {
        return bytes.addAndGet(more);
    }

    long bytes() {
        return bytes.get();
    }

    void clear() {
        bytes.set(0);
    }
}
