package dev.blobshuffle.messaging.internal.subscribe;

import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.failure.LogUnavailableException;
import dev.blobshuffle.log.failure.LogWentBackException;
import dev.blobshuffle.log.failure.PositionTrimmedException;
import dev.blobshuffle.log.failure.TopicAbsentException;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.LogPosition;
import dev.blobshuffle.log.internal.TopicState;
import dev.blobshuffle.messaging.ResetPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds where partitions begin, with one request for all that wait. A trimmed position is replaced
 * as the reset policy says. Owned by the subscriber's thread; answers arrive on other threads.
 */
final class StartLookup {
    private static final Logger LOG = LoggerFactory.getLogger(StartLookup.class);
    private static final Duration REST = Duration.ofMillis(200);

    private final CommitLog log;
    private final ResetPolicy policy;
    private final String group;
    private final Time time;
    private final Runnable whenAnswered;

    private final Map<PartitionReading, Start> asked = new LinkedHashMap<>();
    private @Nullable CompletableFuture<List<TopicState>> answer;
    private boolean isResting;
    private long restsSince;

    StartLookup(CommitLog log, ResetPolicy policy, String group, Time time, Runnable whenAnswered) {
        this.log = log;
        this.policy = policy;
        this.group = group;
        this.time = time;
        this.whenAnswered = whenAnswered;
    }

    /** Queries the starts of the waiting partitions, unless a query is in flight. */
    void ask(Collection<PartitionReading> readings) {
        if (answer != null || (isResting && time.nanos() - restsSince < REST.toNanos())) {
            return;
        }
        for (PartitionReading each : readings) {
            if (each.start.isPresent() && each.failure == null && !each.isLeaving) {
                asked.put(each, each.start.get());
            }
        }
        if (asked.isEmpty()) {
            return;
        }
        isResting = false;
        CompletableFuture<List<TopicState>> promise = new CompletableFuture<>();
        answer = promise;
        var ignored = look().whenComplete((states, failure) -> {
            if (failure == null) {
                promise.complete(states);
            } else {
                promise.completeExceptionally(failure);
            }
            whenAnswered.run();
        });
    }

    private CompletionStage<List<TopicState>> look() {
        try {
            return log.look(
                    asked.keySet().stream().map(each -> each.numbered.topic()).collect(Collectors.toSet()));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** The query in flight, if there is one. */
    Optional<CompletionStage<List<TopicState>>> pending() {
        return Optional.ofNullable(answer);
    }

    /**
     * Processes the answer, if it has arrived.
     *
     * @return the partitions that begin now, which may be fed
     */
    List<PartitionReading> take() {
        CompletableFuture<List<TopicState>> arrived = answer;
        if (arrived == null || !arrived.isDone()) {
            return List.of();
        }
        answer = null;
        Map<PartitionReading, Start> questions = new LinkedHashMap<>(asked);
        asked.clear();
        List<PartitionReading> begun = new ArrayList<>();
        try {
            Map<Integer, TopicState> states =
                    arrived.join().stream().collect(Collectors.toMap(TopicState::topic, state -> state));
            questions.forEach((reading, start) -> {
                boolean isAsked = reading.start.filter(now -> now == start).isPresent();
                if (isAsked && begin(reading, start, states.get(reading.numbered.topic()))) {
                    begun.add(reading);
                }
            });
        } catch (CompletionException e) {
            if (!(e.getCause() instanceof LogUnavailableException) && e.getCause() instanceof RuntimeException known) {
                throw known;
            }
            isResting = true;
            restsSince = time.nanos();
        }
        return begun;
    }

    private boolean begin(PartitionReading reading, Start start, @Nullable TopicState state) {
        try {
            reading.started(position(reading, start, state));
            return true;
        } catch (PositionTrimmedException | LogWentBackException | TopicAbsentException e) {
            reading.failure = e;
            return false;
        }
    }

    private LogPosition position(PartitionReading reading, Start start, @Nullable TopicState state) {
        if (state == null) {
            throw new TopicAbsentException(
                    "Cannot read " + reading.named + ": its topic was deleted. Create it, and subscribe" + " again.");
        }
        if (start instanceof Start.At at) {
            return checked(reading, at.position(), state);
        }
        if (start instanceof Start.Unknown) {
            reading.isStartUncommitted = policy == ResetPolicy.LATEST;
            return reset(
                    state,
                    () -> "Cannot read " + reading.named + ": group '" + group
                            + "' has no position in it, and the reset policy is ERROR. Seek, or choose another policy.");
        }
        return new LogPosition(start instanceof Start.Latest ? state.next() : state.start(), 0);
    }

    private LogPosition checked(PartitionReading reading, LogPosition position, TopicState state) {
        boolean isBeyond =
                position.sequence() > state.next() || (position.sequence() == state.next() && position.index() > 0);
        if (isBeyond) {
            throw new LogWentBackException("Cannot read " + reading.named + " from " + position
                    + ": the topic ends at sequence " + state.next()
                    + ". Find out whether the log's database lost commits or was restored, then seek.");
        }
        if (position.sequence() >= state.start()) {
            return position;
        }
        LogPosition next = reset(
                state,
                () -> "Cannot read " + reading.named + " from " + position + ": retention has left sequence "
                        + state.start() + " and later. Seek, or choose another reset policy.");
        LOG.warn(
                "Group '{}' goes on at {} of {}: retention has passed its position {}. Records between them are lost to"
                        + " it; let the topic keep them for longer.",
                group,
                next,
                reading.named,
                position);
        return next;
    }

    private LogPosition reset(TopicState state, java.util.function.Supplier<String> refusal) {
        return switch (policy) {
            case EARLIEST -> new LogPosition(state.start(), 0);
            case LATEST -> new LogPosition(state.next(), 0);
            case ERROR -> throw new PositionTrimmedException(refusal.get());
        };
    }
}
