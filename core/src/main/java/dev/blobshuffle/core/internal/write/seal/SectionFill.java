package dev.blobshuffle.core.internal.write.seal;

import dev.blobshuffle.core.zone.Zone;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes of the open batch for one zone, before compression, as far as lanes have reported them.
 * Thread-safe.
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
