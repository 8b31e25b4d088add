package dev.blobshuffle.flink.internal.pending;

import dev.blobshuffle.core.internal.format.NotificationCodec;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.RecordView;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.flink.internal.ShufflePlan;
import dev.blobshuffle.flink.internal.reference.Reference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads the records that references stand for. A savepoint is the user's and may be restored years
 * later, so it must not refer to blobs. Owned by one thread, which waits for the reads.
 */
public final class SavepointCopy implements Debatcher.Sink<Reference> {
    private static final int RECORDS_PER_TURN = 512;
    private static final Duration LOOK = Duration.ofSeconds(1);

    private final Map<Integer, List<Reference>> records = new TreeMap<>();
    private long left;

    private SavepointCopy() {}

    /** The same groups with records only. Waits for the reads. */
    public static List<PendingGroup> of(List<PendingGroup> pending, ShufflePlan plan, Engine engine)
            throws InterruptedException {
        SavepointCopy copy = new SavepointCopy();
        try (Debatcher<Reference> debatcher = engine.debatcher(plan.name() + "/savepoint")) {
            for (PendingGroup group : pending) {
                copy.offer(group, plan.partition(group.group()), debatcher);
            }
            while (copy.left > 0) {
                debatcher.prefetch();
                int drained = debatcher.drain(RECORDS_PER_TURN, Long.MAX_VALUE, copy);
                copy.left -= drained;
                if (drained == 0) {
                    debatcher.awaitProgress(LOOK);
                }
            }
        }
        List<PendingGroup> copied = new ArrayList<>();
        copy.records.forEach((group, references) -> copied.add(new PendingGroup(group, 0, references)));
        return copied;
    }

    private void offer(PendingGroup group, Partition partition, Debatcher<Reference> debatcher) {
        long offset = 0;
        int first = group.firstRecord();
        for (Reference reference : group.references()) {
            if (reference.isRecord()) {
                debatcher.offer(partition, offset++, reference.bytes().length, reference);
                left++;
            } else {
                var notification = NotificationCodec.decode(reference.bytes());
                debatcher.offer(partition, offset++, notification, first, reference);
                left += notification.records() - first;
            }
            first = 0;
        }
    }

    @Override
    public void record(Partition partition, long offset, int index, int count, RecordView record, Reference carrier) {
        byte[] value = record.value();
        add(Reference.ofRecord(partition.number(), record.timestamp(), value == null ? new byte[0] : value));
    }

    @Override
    public void plain(Partition partition, long offset, Reference plain) {
        add(plain);
    }

    private void add(Reference reference) {
        records.computeIfAbsent(reference.group(), absent -> new ArrayList<>()).add(reference);
    }
}
