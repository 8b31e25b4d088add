package dev.blobshuffle.core.batch;

import dev.blobshuffle.core.zone.Zone;

/**
 * What one lane appended for one zone and has not yet told the batch: counted here without contention, told in steps. Owned by the lane's thread, but for the
 * zone.
 */
final class LaneZone {
    private final OpenBatch batch;
    private final ZoneFill fill;
    private long untold;

    LaneZone(OpenBatch batch, ZoneFill fill) {
        this.batch = batch;
        this.fill = fill;
    }

    Zone zone() {
        return fill.zone();
    }

    void add(int bytes) {
        long now = untold + bytes;
        if (now < batch.step()) {
            untold = now;
        } else {
            untold = 0;
            batch.filled(fill, now);
        }
    }
}
