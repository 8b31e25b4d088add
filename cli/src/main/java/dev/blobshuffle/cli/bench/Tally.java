package dev.blobshuffle.cli.bench;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/** Counts and sums up the records of one task after the shuffle, and passes them on. Owned by its stream thread; its numbers are read by any. */
final class Tally implements Processor<byte[], byte[], byte[], byte[]> {
    private final List<Tally> all;
    private final CRC32C scratch = new CRC32C();
    private final AtomicLong count = new AtomicLong();
    private long checksum; // published by count
    private ProcessorContext<byte[], byte[]> context;

    @SuppressWarnings("NullAway.Init") // Kafka Streams calls init first
    Tally(List<Tally> all) {
        this.all = all;
    }

    @Override
    public void init(ProcessorContext<byte[], byte[]> ownContext) {
        context = ownContext;
        all.add(this);
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
        checksum += Value.checksum(scratch, record.key(), record.value());
        count.lazySet(count.getPlain() + 1);
        context.forward(record);
    }

    long count() {
        return count.get();
    }

    /** The sum over the records that {@link #count} counts, if none is on its way. */
    long checksum() {
        count.get();
        return checksum;
    }
}
