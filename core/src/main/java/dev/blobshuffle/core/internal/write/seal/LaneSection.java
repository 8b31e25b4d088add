package dev.blobshuffle.core.internal.write.seal;

import dev.blobshuffle.core.internal.write.log.PartitionLog;
import dev.blobshuffle.core.zone.Zone;

/**
 * What one lane appended for one zone and has not yet told the batch: counted here without
 * contention, told in steps. Owned by the lane's thread, but for the zone.
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
