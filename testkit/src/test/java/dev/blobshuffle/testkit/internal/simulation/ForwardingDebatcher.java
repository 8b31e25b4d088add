package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import java.time.Duration;
import java.util.Optional;

/** A Debatcher that is another one: planted bugs change a method of it. */
class ForwardingDebatcher<C> implements Debatcher<C> {
    final Debatcher<C> inner;

    ForwardingDebatcher(Debatcher<C> inner) {
        this.inner = inner;
    }

    @Override
    public void offer(Partition partition, long offset, Notification notification, int firstRecord, C carrier) {
        inner.offer(partition, offset, notification, firstRecord, carrier);
    }

    @Override
    public void offer(Partition partition, long offset, long bytes, C plain) {
        inner.offer(partition, offset, bytes, plain);
    }

    @Override
    public void pause(Partition partition) {
        inner.pause(partition);
    }

    @Override
    public void resume(Partition partition) {
        inner.resume(partition);
    }

    @Override
    public void prefetch() {
        inner.prefetch();
    }

    @Override
    public boolean isReady() {
        return inner.isReady();
    }

    @Override
    public boolean isFetching() {
        return inner.isFetching();
    }

    @Override
    public void awaitProgress(Duration timeout) throws InterruptedException {
        inner.awaitProgress(timeout);
    }

    @Override
    public int drain(int maxRecords, long maxBytesPerPartition, Sink<C> sink) {
        return inner.drain(maxRecords, maxBytesPerPartition, sink);
    }

    @Override
    public Optional<Position> head(Partition partition) {
        return inner.head(partition);
    }

    @Override
    public long undelivered(Partition partition) {
        return inner.undelivered(partition);
    }

    @Override
    public int queuedItems(Partition partition) {
        return inner.queuedItems(partition);
    }

    @Override
    public long queuedBytes(Partition partition) {
        return inner.queuedBytes(partition);
    }

    @Override
    public void drop(Partition partition) {
        inner.drop(partition);
    }

    @Override
    public void close() {
        inner.close();
    }
}
