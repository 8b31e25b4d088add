package dev.blobshuffle.core.internal.write.seal;

import dev.blobshuffle.core.internal.write.log.PartitionLog;
import dev.blobshuffle.core.zone.Zone;

/**
 * Counts the bytes that one lane appends for one zone. It counts without contention, and reports to
 * the batch in steps. Owned by the lane's thread, except the zone.
 */
final class LaneSection implements PartitionLog.Section {
    private final OpenBatch batch;
    private final SectionFill fill;
    private long untold;

    LaneSection(OpenBatch batch, SectionFill fill) {
        this.batch = batch;
        this.fill = fill;
    }

    @Override
    public Zone zone() {
        return fill.zone();
    }

    @Override
    public boolean isOpen() {
        return batch.isOpen();
    }

    @Override
    public void open() {
        batch.open();
    }

    @Override
    public void sealFull() {
        batch.seal(SealReason.SIZE);
    }

    @Override
    public void add(int bytes) {
        long now = untold + bytes;
        if (now < batch.step()) {
            untold = now;
        } else {
            untold = 0;
            batch.filled(fill, now);
        }
    }
}
