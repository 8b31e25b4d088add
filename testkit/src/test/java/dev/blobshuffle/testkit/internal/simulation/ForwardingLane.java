package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.zone.Zone;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A lane that is another one: planted bugs change a method of it. */
class ForwardingLane implements Lane {
    Lane inner;

    ForwardingLane(Lane inner) {
        this.inner = inner;
    }

    @Override
    public Output output(Partition partition, Zone zone) {
        return inner.output(partition, zone);
    }

    @Override
    public boolean forget(Partition partition) {
        return inner.forget(partition);
    }

    @Override
    public void seal() {
        inner.seal();
    }

    @Override
    public void flush(Duration timeout) {
        inner.flush(timeout);
    }

    @Override
    public void discard() {
        inner.discard();
    }

    @Override
    public @Nullable RuntimeException failure() {
        return inner.failure();
    }

    @Override
    public boolean isDrained() {
        return inner.isDrained();
    }

    @Override
    public void giveUp() {
        inner.giveUp();
    }

    @Override
    public void close() {
        inner.close();
    }
}
