package dev.blobshuffle.messaging.differential;

import dev.blobshuffle.log.internal.LogPosition;
import dev.blobshuffle.log.internal.SequencedBatch;
import dev.blobshuffle.log.internal.entries.Entries;
import dev.blobshuffle.log.internal.entries.EntriesCodec;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * The expected content of a topic. Order and content follow from the program. The publisher chooses
 * the batches, so the model reads from the log how many records of which partition a batch has.
 */
final class ModelTopic {
    final String name;
    final int number;
    final Setup.Retention retention;
    boolean isDeleted;

    /** The first sequence after retention. */
    long start;

    private final List<List<ModelRecord>> records = new ArrayList<>();

    /** The commit time of each batch. */
    private final List<Long> times = new ArrayList<>();

    /** The records in the order of their commits, without a place yet. */
    private final List<ModelRecord> arrivals = new ArrayList<>();

    ModelTopic(String name, int number, int partitions, Setup.Retention retention) {
        this.name = name;
        this.number = number;
        this.retention = retention;
        for (int i = 0; i < partitions; i++) {
            addPartition();
        }
    }

    void addPartition() {
        records.add(new ArrayList<>());
    }

    int partitions() {
        return records.size();
    }

    List<ModelRecord> records(int partition) {
        return records.get(partition);
    }

    /** The sequence of the next batch. */
    long next() {
        return times.size();
    }

    void arrive(ModelRecord record) {
        if (!isDeleted) {
            arrivals.add(record);
        }
    }

    /** Determines which of the arrived records a batch contains. */
    void place(SequencedBatch batch) {
        check(batch.sequence() == next(), "has sequence " + batch.sequence() + " instead of " + next());
        check(times.isEmpty() || batch.committedMillis() >= times.get(times.size() - 1), "goes back in time");
        times.add(batch.committedMillis());
        Entries entries = EntriesCodec.decode(batch.entries(), partition -> true);
        for (Entries.Run run : entries.runs()) {
            for (int i = 0; i < run.records(); i++) {
                ModelRecord record = take(run.partition());
                record.position = new LogPosition(batch.sequence(), run.firstIndex() + i).value();
                records.get(run.partition()).add(record);
            }
        }
    }

    private ModelRecord take(int partition) {
        Iterator<ModelRecord> waiting = arrivals.iterator();
        while (waiting.hasNext()) {
            ModelRecord record = waiting.next();
            if (record.partition == partition || record.partition == ModelRecord.ANY) {
                waiting.remove();
                record.partition = partition;
                return record;
            }
        }
        throw new AssertionError("The log has a record of " + name + "-" + partition + " that no publisher committed.");
    }

    /** Checks that every committed record has its place. */
    void checkPlaced() {
        check(arrivals.isEmpty(), "lacks the records " + arrivals + ", which were committed");
    }

    private void check(boolean isRight, String fault) {
        if (!isRight) {
            throw new AssertionError("The log of " + name + " " + fault + ".");
        }
    }

    /** The first sequence that was committed at or after a time. */
    long sequenceAt(long millis) {
        for (int sequence = (int) start; sequence < times.size(); sequence++) {
            if (times.get(sequence) >= millis) {
                return sequence;
            }
        }
        return next();
    }

    /** The commit time of a batch; that of the first one if there is no such batch. */
    long timeOf(int batch) {
        return times.isEmpty() ? 0 : times.get(batch % times.size());
    }

    /** The first record of a partition at or after a position. */
    int indexOf(int partition, long position) {
        List<ModelRecord> all = records.get(partition);
        int index = 0;
        while (index < all.size() && all.get(index).position < position) {
            index++;
        }
        return index;
    }

    static long at(long sequence) {
        return new LogPosition(sequence, 0).value();
    }
}
