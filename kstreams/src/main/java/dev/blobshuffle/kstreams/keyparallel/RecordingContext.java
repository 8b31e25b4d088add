package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.kstreams.internal.commit.RecordOrigin;
import java.io.File;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.streams.StreamsMetrics;
import org.apache.kafka.streams.processor.Cancellable;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.Punctuator;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorContext;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.processor.api.ProcessingContext;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.jspecify.annotations.Nullable;

/**
 * The context of a processor that runs on a call thread. Forwarded records go to a list. Methods
 * that belong to the stream thread throw an exception with the reason. Used by one call at a time.
 */
final class RecordingContext<L, R> implements ProcessorContext<L, R>, FixedKeyProcessorContext<L, R> {
    private final ProcessingContext context;
    private @Nullable RecordOrigin origin;
    private @Nullable List<Record<?, ?>> results;

    RecordingContext(ProcessingContext context) {
        this.context = context;
    }

    static UnsupportedOperationException refused(String what) {
        return new UnsupportedOperationException("Cannot call a processor in parallel that uses " + what
                + ": it belongs to the stream thread. Use KeyParallel.staged, whose steps before and after the call run there, or a"
                + " processor of its own, before or behind this one.");
    }

    /** Begins the call for another record. */
    void begin(RecordOrigin from, List<Record<?, ?>> into) {
        origin = from;
        results = into;
    }

    @Override
    public <K extends L, V extends R> void forward(Record<K, V> record) {
        List<Record<?, ?>> into = results;
        if (into == null) {
            throw refused("forward outside of process");
        }
        into.add(record);
    }

    @Override
    public <K extends L, V extends R> void forward(Record<K, V> record, String childName) {
        throw refused("forward to a child by its name");
    }

    @Override
    public <K extends L, V extends R> void forward(FixedKeyRecord<K, V> record) {
        forward(new Record<>(record.key(), record.value(), record.timestamp(), record.headers()));
    }

    @Override
    public <K extends L, V extends R> void forward(FixedKeyRecord<K, V> record, String childName) {
        throw refused("forward to a child by its name");
    }

    @Override
    public Optional<RecordMetadata> recordMetadata() {
        RecordOrigin from = origin;
        String topic = from == null ? null : from.topic();
        return from == null || topic == null
                ? Optional.empty()
                : Optional.of(new Metadata(topic, from.partition(), from.offset()));
    }

    @Override
    public <S extends StateStore> S getStateStore(String name) {
        throw refused("the state store " + name);
    }

    @Override
    public Cancellable schedule(Duration interval, PunctuationType type, Punctuator callback) {
        throw refused("punctuators");
    }

    @Override
    public Cancellable schedule(Instant startTime, Duration interval, PunctuationType type, Punctuator callback) {
        throw refused("punctuators");
    }

    @Override
    public void commit() {
        throw refused("commit");
    }

    @Override
    public String applicationId() {
        return context.applicationId();
    }

    @Override
    public TaskId taskId() {
        return context.taskId();
    }

    @Override
    public Serde<?> keySerde() {
        return context.keySerde();
    }

    @Override
    public Serde<?> valueSerde() {
        return context.valueSerde();
    }

    @Override
    public File stateDir() {
        return context.stateDir();
    }

    @Override
    public StreamsMetrics metrics() {
        return context.metrics();
    }

    @Override
    public Map<String, Object> appConfigs() {
        return context.appConfigs();
    }

    @Override
    public Map<String, Object> appConfigsWithPrefix(String prefix) {
        return context.appConfigsWithPrefix(prefix);
    }

    @Override
    public long currentSystemTimeMs() {
        return context.currentSystemTimeMs();
    }

    @Override
    public long currentStreamTimeMs() {
        return context.currentStreamTimeMs();
    }

    /** Where a record was read. */
    private record Metadata(String topic, int partition, long offset) implements RecordMetadata {}
}
