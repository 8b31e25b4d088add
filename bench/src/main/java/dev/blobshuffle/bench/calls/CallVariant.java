package dev.blobshuffle.bench.calls;

import dev.blobshuffle.kstreams.keyparallel.CommitMode;
import dev.blobshuffle.kstreams.keyparallel.KeyParallel;
import dev.blobshuffle.kstreams.keyparallel.KeyParallelOptions;
import dev.blobshuffle.kstreams.keyparallel.KeyParallelOptionsBuilder;
import dev.blobshuffle.kstreams.keyparallel.calls.Ordering;
import dev.blobshuffle.kstreams.keyparallel.calls.Outcome;
import java.util.Locale;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.kstream.KStream;

/** How the service is called. */
public enum CallVariant {
    /** By {@code mapValues}, one record after the other. */
    PLAIN {
        @Override
        KStream<String, String> applied(KStream<String, String> stream, CallCell cell, CallClient client) {
            return stream.mapValues(value -> client.call(value, cell.latencyMillis()));
        }
    },

    /** In strict order per key. */
    KEY {
        @Override
        KStream<String, String> applied(KStream<String, String> stream, CallCell cell, CallClient client) {
            return parallel(stream, cell, client, options(cell, Ordering.KEY));
        }
    },

    /** In strict order per key, and commits do not wait. */
    KEY_CHECKPOINT {
        @Override
        KStream<String, String> applied(KStream<String, String> stream, CallCell cell, CallClient client) {
            return parallel(
                    stream,
                    cell,
                    client,
                    options(cell, Ordering.KEY).commitMode(CommitMode.checkpoint(Serdes.String(), Serdes.String())));
        }
    },

    /** In strict order per key, several records of a key in a call. */
    BATCH_BY_KEY {
        @Override
        KStream<String, String> applied(KStream<String, String> stream, CallCell cell, CallClient client) {
            return stream.processValues(KeyParallel.batchByKey(
                    (key, values) -> {
                        String answer = client.call("", cell.latencyMillis());
                        return values.stream()
                                .map(value -> Outcome.of(value + answer))
                                .toList();
                    },
                    cell.maxBatch(),
                    options(cell, Ordering.KEY).build()));
        }
    },

    /** With results in order per key. */
    KEY_OUTPUT {
        @Override
        KStream<String, String> applied(KStream<String, String> stream, CallCell cell, CallClient client) {
            return parallel(stream, cell, client, options(cell, Ordering.KEY_OUTPUT));
        }
    };

    abstract KStream<String, String> applied(KStream<String, String> stream, CallCell cell, CallClient client);

    /** The name in reports. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static KStream<String, String> parallel(
            KStream<String, String> stream, CallCell cell, CallClient client, KeyParallelOptionsBuilder options) {
        return stream.processValues(
                KeyParallel.mapValuesAsync((key, value) -> client.begin(value, cell.latencyMillis()), options.build()));
    }

    private static KeyParallelOptionsBuilder options(CallCell cell, Ordering ordering) {
        return KeyParallelOptions.builder("calls").ordering(ordering).maxConcurrency(cell.concurrency());
    }
}
