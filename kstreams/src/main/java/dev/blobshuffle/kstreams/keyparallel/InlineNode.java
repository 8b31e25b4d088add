package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.kstreams.internal.commit.RecordOrigin;
import dev.blobshuffle.kstreams.keyparallel.calls.Outcome;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.processor.api.Record;

/**
 * Calls the function and waits for it, in a mock of Kafka Streams' context, which has no tasks that
 * commit. Owned by the caller's thread.
 */
final class InlineNode<K, V> {
    private static final RecordOrigin NOWHERE = new RecordOrigin(null, -1, -1, null, null);

    private final NodeCall<K, V> function;
    private final Consumer<Record<?, ?>> output;

    InlineNode(NodeCall<K, V> function, Consumer<Record<?, ?>> output) {
        this.function = function;
        this.output = output;
    }

    void process(Record<K, V> record) {
        CompletableFuture<List<Outcome<Results>>> ended = new CompletableFuture<>();
        try {
            Arrival<K, V> arrival = Arrival.of(record, NOWHERE, 0);
            Optional<Outcome<Results>> known = function.prepare(arrival);
            if (known.isPresent()) {
                ended.complete(List.of(known.get()));
            } else {
                function.start(List.of(arrival), ended::complete);
            }
            Outcome<Results> outcome = ended.get().get(0);
            if (outcome.value() == null) {
                throw new ExecutionException(outcome.failure());
            }
            outcome.value().records().forEach(output);
        } catch (RuntimeException e) {
            throw e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StreamsException("Cannot wait for a call: the thread was interrupted.", e);
        } catch (Exception e) {
            throw e.getCause() instanceof RuntimeException unchecked ? unchecked : new StreamsException(e);
        }
    }
}
