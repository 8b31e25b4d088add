package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.kstreams.keyparallel.calls.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.api.Record;

/** Adapts the users' functions to calls of a node. Stateless. */
final class Functions {
    private Functions() {}

    static <K, V, R> NodeCall<K, V> blocking(KeyParallel.ValueFunction<K, V, R> function) {
        return (arrivals, completion) -> {
            Record<K, V> record = arrivals.get(0).record();
            completion.complete(List.of(result(record, function.apply(record.key(), record.value()))));
        };
    }

    static <K, V, R> NodeCall<K, V> async(KeyParallel.AsyncValueFunction<K, V, R> function) {
        return (arrivals, completion) -> {
            Record<K, V> record = arrivals.get(0).record();
            CompletionStage<R> stage = function.apply(record.key(), record.value());
            var ignored = stage.whenComplete((value, failure) -> completion.complete(
                    List.of(failure == null ? result(record, value) : Outcome.failed(cause(failure)))));
        };
    }

    static <K, V, L, R> NodeCall<K, V> flatMap(KeyParallel.FlatMapFunction<K, V, L, R> function) {
        return (arrivals, completion) -> {
            List<Record<?, ?>> results = new ArrayList<>();
            function.apply(arrivals.get(0).forFunction(), results::add);
            completion.complete(List.of(Outcome.of(() -> results)));
        };
    }

    static <K, V, R> NodeCall<K, V> byKey(KeyParallel.BatchFunction<K, V, R> function) {
        return (arrivals, completion) -> {
            List<V> values = new ArrayList<>(arrivals.size());
            arrivals.forEach(arrival -> values.add(arrival.record().value()));
            completion.complete(
                    results(arrivals, function.apply(arrivals.get(0).record().key(), values)));
        };
    }

    static <K, V, R> NodeCall<K, V> bulk(KeyParallel.BulkFunction<K, V, R> function) {
        return (arrivals, completion) -> {
            List<KeyValue<K, V>> entries = new ArrayList<>(arrivals.size());
            for (Arrival<K, V> arrival : arrivals) {
                entries.add(
                        KeyValue.pair(arrival.record().key(), arrival.record().value()));
            }
            completion.complete(results(arrivals, function.apply(entries)));
        };
    }

    private static <K, V, R> List<Outcome<Results>> results(List<Arrival<K, V>> arrivals, List<Outcome<R>> outcomes) {
        List<Outcome<Results>> results = new ArrayList<>(outcomes.size());
        for (int i = 0; i < outcomes.size() && i < arrivals.size(); i++) {
            Outcome<R> outcome = outcomes.get(i);
            results.add(
                    outcome.failure() == null
                            ? result(arrivals.get(i).record(), outcome.value())
                            : Outcome.failed(outcome.failure()));
        }
        return results;
    }

    /** A null value is a result too. */
    @SuppressWarnings("NullAway")
    private static Outcome<Results> result(Record<?, ?> record, @org.jspecify.annotations.Nullable Object value) {
        List<Record<?, ?>> results = List.of(record.withValue(value));
        return Outcome.of(() -> results);
    }

    private static Throwable cause(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }
}
