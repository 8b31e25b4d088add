package dev.blobshuffle.kstreams.internal.commit;

import java.util.Arrays;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.processor.api.ProcessingContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.internals.InternalProcessorContext;
import org.apache.kafka.streams.processor.internals.ProcessorContextImpl;
import org.apache.kafka.streams.processor.internals.ProcessorNode;
import org.apache.kafka.streams.processor.internals.ProcessorRecordContext;
import org.apache.kafka.streams.processor.internals.RecordCollector;
import org.jspecify.annotations.Nullable;

/**
 * Lets a processor forward records that are not the one being processed: in a {@link CommitGate},
 * where no node is current, in a punctuator, and in {@code process} of another record. Each
 * forwarded record has its own record context, as if it had been read from its topic just now. Made
 * anew in every {@code init}, and owned by the task's stream thread.
 */
public final class NodeScope {
    private static final boolean KEEPS_RAW_RECORDS = keepsRawRecords();

    private final InternalProcessorContext<Object, Object> context;
    private final @Nullable ProcessorNode<?, ?, ?, ?> node;

    private NodeScope(InternalProcessorContext<Object, Object> context) {
        this.context = context;
        this.node = context.currentNode();
    }

    /**
     * The scope of the node whose processor is being initialised.
     *
     * @throws IllegalStateException fatal: the context is none of Kafka Streams' own
     */
    @SuppressWarnings(
            "unchecked") // A context's type parameters say what its user may forward, nothing about the object.
    public static NodeScope of(ProcessingContext context) {
        if (context instanceof InternalProcessorContext<?, ?> internal) {
            return new NodeScope((InternalProcessorContext<Object, Object>) internal);
        }
        throw new IllegalStateException("Cannot use BlobShuffle's operators in a "
                + context.getClass().getName() + ": they need a task of Kafka Streams."
                + " Test them with TopologyTestDriver.");
    }

    /** Runs something that forwards: the node is the current one meanwhile. */
    public void run(Runnable forwards) {
        ProcessorNode<?, ?, ?, ?> nodeBefore = context.currentNode();
        ProcessorRecordContext recordBefore = context.recordContext();
        context.setCurrentNode(node);
        try {
            forwards.run();
        } finally {
            context.setCurrentNode(nodeBefore);
            context.setRecordContext(recordBefore);
        }
    }

    /** Forwards a record that was read from a topic. Inside {@link #run} only. */
    public void forward(
            Record<?, ?> record,
            String topic,
            int partition,
            long offset,
            byte @Nullable [] key,
            byte @Nullable [] value) {
        context.setRecordContext(
                KEEPS_RAW_RECORDS
                        ? WithRawRecord.context(
                                record.timestamp(), offset, partition, topic, record.headers(), key, value)
                        : new ProcessorRecordContext(record.timestamp(), offset, partition, topic, record.headers()));
        context.forward(record);
    }

    /** Where the record that is being processed stands, with a copy of what names it. */
    public RecordOrigin origin() {
        ProcessorRecordContext now = context.recordContext();
        return new RecordOrigin(
                now.topic(),
                now.partition(),
                now.offset(),
                KEEPS_RAW_RECORDS ? WithRawRecord.key(now) : null,
                KEEPS_RAW_RECORDS ? WithRawRecord.value(now) : null);
    }

    /** Forwards a record that was made of an earlier one. Inside {@link #run} only. */
    public void forward(Record<?, ?> record, RecordOrigin origin) {
        context.setRecordContext(at(origin, record));
        context.forward(record);
    }

    /**
     * Has this node process a record once more, as if it came just now, so that an exception which
     * the processor throws for it gets to Kafka Streams' handler with the record's own coordinates.
     * Inside {@link #run} only.
     */
    @SuppressWarnings("unchecked") // A node takes what its processor does.
    public void process(Record<?, ?> record, RecordOrigin origin) {
        context.setRecordContext(at(origin, record));
        if (node != null) {
            ((ProcessorNode<Object, Object, ?, ?>) node).process((Record<Object, Object>) record);
        }
    }

    @SuppressWarnings("NullAway") // A punctuator's records have no topic either.
    private static ProcessorRecordContext at(RecordOrigin origin, Record<?, ?> record) {
        return KEEPS_RAW_RECORDS
                ? WithRawRecord.context(
                        record.timestamp(),
                        origin.offset(),
                        origin.partition(),
                        origin.topic(),
                        record.headers(),
                        origin.key(),
                        origin.value())
                : new ProcessorRecordContext(
                        record.timestamp(), origin.offset(), origin.partition(), origin.topic(), record.headers());
    }

    /** Makes a record the current one, for state stores. Inside {@link #run} only. */
    public void enter(Record<?, ?> record, RecordOrigin origin) {
        context.setRecordContext(at(origin, record));
    }

    /**
     * Whether a processor runs in a task of Kafka Streams; in a mock of its context it does not,
     * and no task commits there.
     */
    public static boolean isIn(ProcessingContext context) {
        return context instanceof InternalProcessorContext<?, ?>;
    }

    /**
     * Forwards a record that was made here. It stands where the last record that was processed
     * does. Inside {@link #run} only.
     */
    @SuppressWarnings("NullAway") // A punctuator's records have no topic either.
    public void forward(Record<?, ?> record) {
        ProcessorRecordContext last = context.recordContext();
        context.setRecordContext(
                last == null
                        ? new ProcessorRecordContext(record.timestamp(), -1, -1, null, record.headers())
                        : new ProcessorRecordContext(
                                record.timestamp(), last.offset(), last.partition(), last.topic(), record.headers()));
        context.forward(record);
    }

    /**
     * Runs something that writes to stores, for which a record has to be current: before a commit
     * there may be none.
     */
    @SuppressWarnings("NullAway") // As a punctuator's.
    public void write(Runnable writes) {
        run(() -> {
            if (context.recordContext() == null) {
                context.setRecordContext(
                        new ProcessorRecordContext(context.currentSystemTimeMs(), -1, -1, null, new RecordHeaders()));
            }
            writes.run();
        });
    }

    /**
     * Waits until all that the task has sent has arrived.
     *
     * @throws org.apache.kafka.streams.errors.StreamsException fatal: something did not
     */
    public void flushProducer() {
        ((RecordCollector.Supplier) context).recordCollector().flush();
    }

    /** Flushes the caches of all stores of the task once more, and drains its gates. */
    void flushCaches() {
        ((ProcessorContextImpl) (InternalProcessorContext<?, ?>) context)
                .stateManager()
                .flushCache();
    }

    private static boolean keepsRawRecords() {
        return Arrays.stream(ProcessorRecordContext.class.getConstructors())
                .anyMatch(constructor -> constructor.getParameterCount() == 7);
    }

    /**
     * Dead-letter topics get the bytes of the record that failed, since Kafka 4.1. Loaded there
     * only.
     */
    private static final class WithRawRecord {
        static byte @Nullable [] key(ProcessorRecordContext record) {
            return record.sourceRawKey();
        }

        static byte @Nullable [] value(ProcessorRecordContext record) {
            return record.sourceRawValue();
        }

        static ProcessorRecordContext context(
                long timestamp,
                long offset,
                int partition,
                String topic,
                Headers headers,
                byte @Nullable [] key,
                byte @Nullable [] value) {
            return new ProcessorRecordContext(timestamp, offset, partition, topic, headers, key, value);
        }
    }
}
