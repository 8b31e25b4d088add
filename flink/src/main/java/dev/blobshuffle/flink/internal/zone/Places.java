package dev.blobshuffle.flink.internal.zone;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.runtime.operators.coordination.CoordinationRequest;
import org.apache.flink.runtime.operators.coordination.CoordinationResponse;
import org.apache.flink.runtime.operators.coordination.CoordinatorStore;

/**
 * The places of a Debatcher's subtasks, in the JobManager. It answers the subtasks of the Batcher
 * when all have reported. The answer decides what is paid, never what is computed: a Batcher may
 * send each key group either way, as long as it keeps to it. Owned by the JobManager's main thread.
 */
public final class Places {
    private final Map<Integer, Place> known = new TreeMap<>();
    private final List<Question> open = new ArrayList<>();

    /** How many subtasks report. */
    private int parallelism;

    /** Where a subtask of the Batcher is that waits for its answer. */
    private record Question(Place place, CompletableFuture<CoordinationResponse> answer) {}

    /** Coordinators with the same key share the places. */
    private record Key(String shuffle) {}

    Places() {}

    /** The places of a shuffle, the same for all coordinators of a job. */
    public static Places of(CoordinatorStore store, String shuffle) {
        return (Places) store.compute(new Key(shuffle), (key, present) -> present != null ? present : new Places());
    }

    /**
     * A subtask of the Debatcher has reported.
     *
     * @param subtasks the Debatcher's parallelism
     */
    public void reported(int subtask, Place place, int subtasks) {
        parallelism = subtasks;
        known.put(subtask, place);
        answer();
    }

    /** A subtask of the Debatcher ends. Its next attempt reports again. */
    public void left(int subtask) {
        known.remove(subtask);
    }

    /** All subtasks begin again. */
    public void reset() {
        known.clear();
    }

    /** Answers a subtask of the Batcher, when all subtasks of the Debatcher have reported. */
    public CompletableFuture<CoordinationResponse> answer(CoordinationRequest request) {
        return ask(((NearRequest) request).place());
    }

    CompletableFuture<CoordinationResponse> ask(Place place) {
        CompletableFuture<CoordinationResponse> answer = new CompletableFuture<>();
        open.add(new Question(place, answer));
        answer();
        return answer;
    }

    private void answer() {
        if (known.isEmpty() || known.size() < parallelism) {
            return;
        }
        List<Question> answered = List.copyOf(open);
        open.clear();
        answered.forEach(
                question -> question.answer().complete(near(question.place()).response()));
    }

    private NearSubtasks near(Place asking) {
        return new NearSubtasks(known.values().stream().map(asking::isNear).toList());
    }
}
