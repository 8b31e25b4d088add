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
 * Lets a processor forward records other than the current one: in a {@link CommitGate}, where no
 * node is current, in a punctuator, and in {@code process} of another record. Each forwarded record
 * has its own record context, as if it had just been read from its topic. Recreated in every
 * {@code init}, and owned by the task's stream thread.
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
     * The scope of the node whose processor is being initialized.
     *
     * @throws IllegalStateException fatal: the context is not Kafka Streams' own
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

    /** Runs an action that forwards, with the node as the current one. */
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

    /** The origin of the current record, with a copy of its identity. */
    public RecordOrigin origin() {
        ProcessorRecordContext now = context.recordContext();
        return new RecordOrigin(
                now.topic(),
                now.partition(),
                now.offset(),
                KEEPS_RAW_RECORDS ? WithRawRecord.key(now) : null,
                KEEPS_RAW_RECORDS ? WithRawRecord.value(now) : null);
    }

    /** Forwards a record that was made from an earlier one. Inside {@link #run} only. */
    public void forward(Record<?, ?> record, RecordOrigin origin) {
        context.setRecordContext(at(origin, record));
        context.forward(record);
    }

    /**
     * Makes this node process a record again, as if it had just arrived. If the processor throws
     * for it, Kafka Streams' handler gets the exception with the record's own coordinates. Inside
     * {@link #run} only.
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
     * Whether a processor runs in a task of Kafka Streams. In a mock of its context it does not,
     * and there are no commits.
     */
    public static boolean isIn(ProcessingContext context) {
        return context instanceof InternalProcessorContext<?, ?>;
    }

    /**
     * Forwards a record that was made here, with the coordinates of the last processed record.
     * Inside {@link #run} only.
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
     * Runs an action that writes to stores. Stores need a current record, which may be missing
     * before a commit.
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
     * Waits until the brokers have everything that the task has sent.
     *
     * @throws org.apache.kafka.streams.errors.StreamsException fatal: a send failed
     */
    public void flushProducer() {
        ((RecordCollector.Supplier) context).recordCollector().flush();
    }

    /** Flushes the caches of all stores of the task again, and drains its gates. */
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
     * Keeps the bytes of a failed record for dead-letter topics, since Kafka 4.1. A class of its
     * own, because it can be loaded only there.
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
