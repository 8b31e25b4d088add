package dev.blobshuffle.flink.internal.zone;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.api.common.typeutils.base.BooleanSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.jobgraph.tasks.TaskOperatorEventGateway;
import org.apache.flink.runtime.operators.coordination.CoordinationResponse;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.operators.collect.CollectCoordinationResponse;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.SerializedValue;

/**
 * Which subtasks of a Debatcher are near one subtask of the Batcher. Both keep their places for an
 * attempt, so the answer holds for the attempt. Immutable.
 *
 * @param near one for each subtask
 */
public record NearSubtasks(List<Boolean> near) {
    private static final int ATTEMPTS = 6;
    private static final long SECONDS_PER_ATTEMPT = 10;

    /** Copies the list. */
    public NearSubtasks {
        near = List.copyOf(near);
    }

    /**
     * Asks the coordinator, and waits until all subtasks of the Debatcher have reported where they
     * are.
     *
     * @return empty if the answer does not come within a minute
     * @throws ExecutionException fatal: the task fails, as the coordinator has
     */
    public static Optional<NearSubtasks> ask(TaskOperatorEventGateway gateway, OperatorID operator, Place own)
            throws IOException, InterruptedException, ExecutionException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try {
                CompletableFuture<CoordinationResponse> answer =
                        gateway.sendRequestToCoordinator(operator, new SerializedValue<>(new NearRequest(own)));
                return Optional.of(of(answer.get(SECONDS_PER_ATTEMPT, TimeUnit.SECONDS)));
            } catch (TimeoutException e) {
                continue;
            } catch (ExecutionException e) { // Flink has a time limit of its own.
                if (ExceptionUtils.findThrowable(e, TimeoutException.class).isEmpty()) {
                    throw e;
                }
            }
        }
        return Optional.empty();
    }

    /**
     * The answer as a class of Flink's: Flink decodes answers with its own class loader, which does
     * not know the classes of the job.
     */
    CoordinationResponse response() {
        List<byte[]> flags = new ArrayList<>();
        for (boolean flag : near) {
            DataOutputSerializer target = new DataOutputSerializer(1);
            try {
                BooleanSerializer.INSTANCE.serialize(flag, target);
            } catch (IOException e) {
                throw new UncheckedIOException("Cannot answer a subtask: " + e.getMessage(), e);
            }
            flags.add(target.getCopyOfBuffer());
        }
        return new CollectCoordinationResponse("", 0, flags);
    }

    static NearSubtasks of(CoordinationResponse response) {
        try {
            return new NearSubtasks(((CollectCoordinationResponse) response).getResults(BooleanSerializer.INSTANCE));
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read the coordinator's answer: " + e.getMessage(), e);
        }
    }

    /** One for each key group: whether its subtask is near. */
    public boolean[] groups(int maxParallelism) {
        boolean[] groups = new boolean[maxParallelism];
        for (int group = 0; group < maxParallelism; group++) {
            groups[group] = near.get(
                    KeyGroupRangeAssignment.computeOperatorIndexForKeyGroup(maxParallelism, near.size(), group));
        }
        return groups;
    }
}
