package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.kstreams.keyparallel.calls.Outcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.api.ProcessingContext;
import org.apache.kafka.streams.processor.api.Record;
import org.jspecify.annotations.Nullable;

/**
 * A function of three steps in one task. The first and the last step run on the stream thread and
 * may use state stores; the call between them runs on another thread. Owned by the stream thread,
 * except for {@link #start}.
 */
final class StagedCall<K, V, Q, A, L, R> implements NodeCall<K, V> {
    private final KeyParallel.Prepare<K, V, Q, L, R> prepare;
    private final KeyParallel.Request<Q, A> request;
    private final KeyParallel.Complete<K, V, A, L, R> complete;
    private final Steps steps;

    StagedCall(
            KeyParallel.Prepare<K, V, Q, L, R> prepare,
            KeyParallel.Request<Q, A> request,
            KeyParallel.Complete<K, V, A, L, R> complete,
            ProcessingContext context) {
        this.prepare = prepare;
        this.request = request;
        this.complete = complete;
        steps = new Steps(context);
    }

    @Override
    public boolean isStaged() {
        return true;
    }

    @Override
    public Optional<Outcome<Results>> prepare(Arrival<K, V> arrival) throws Exception {
        List<Record<?, ?>> early = steps.collect(null);
        Optional<Q> asked = prepare.apply(arrival.forFunction(), steps);
        if (asked.isEmpty()) {
            return Optional.of(Outcome.of(() -> early));
        }
        arrival.prepare(new Prepared<>(asked.get(), early));
        return Optional.empty();
    }

    @Override
    @SuppressWarnings("unchecked") // This class put it there.
    public void start(List<Arrival<K, V>> arrivals, Completion<Results> completion) throws Exception {
        Arrival<K, V> arrival = arrivals.get(0);
        Prepared<Q> prepared = (Prepared<Q>) arrival.request();
        if (prepared == null) {
            throw new IllegalStateException("Cannot call a function: its record is not prepared.");
        }
        A answer = request.apply(prepared.request());
        completion.complete(List.of(Outcome.of(() -> {
            List<Record<?, ?>> all = steps.collect(prepared.early());
            complete.apply(arrival.forFunction(), answer, steps);
            return all;
        })));
    }

    /**
     * The result of the first step.
     *
     * @param request for the call
     * @param early records forwarded before the call, in order
     */
    private record Prepared<Q>(Q request, List<Record<?, ?>> early) {}

    /** The stage of the steps on the stream thread, which owns it. */
    private final class Steps implements KeyParallel.Stage<L, R> {
        private final ProcessingContext context;
        private final Map<String, StateStore> stores = new HashMap<>();
        private List<Record<?, ?>> forwarded = new ArrayList<>();

        private Steps(ProcessingContext context) {
            this.context = context;
        }

        private List<Record<?, ?>> collect(@Nullable List<Record<?, ?>> into) {
            forwarded = into == null ? new ArrayList<>() : into;
            return forwarded;
        }

        @Override
        @SuppressWarnings("unchecked") // As in Kafka Streams: the caller knows the store's type.
        public <S extends StateStore> S store(String name) {
            StateStore store = stores.get(name);
            if (store == null) {
                store = context.getStateStore(name);
                if (store == null) {
                    throw new IllegalArgumentException("Cannot use the state store " + name
                            + ": the node has none of this name. Add it to the topology and name it in process(…).");
                }
                stores.put(name, store);
            }
            return (S) store;
        }

        @Override
        public void forward(Record<L, R> record) {
            forwarded.add(record);
        }
    }
}
