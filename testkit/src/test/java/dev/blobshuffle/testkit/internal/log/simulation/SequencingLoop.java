package dev.blobshuffle.testkit.internal.log.simulation;

import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.simulator.SimulatedProcess;
import java.time.Duration;
import java.util.HashSet;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Sequences the topics of one process: after its commits, and when it sees that batches are staged.
 * Calls for one topic are joined. Guarded by the baton.
 */
final class SequencingLoop {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(5);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    private final LogWorld world;
    private final SimulatedProcess process;
    private final CommitLog log;
    private final Set<Integer> running = new HashSet<>();
    private final Set<Integer> asked = new HashSet<>();

    SequencingLoop(LogWorld world, SimulatedProcess process, CommitLog log) {
        this.world = world;
        this.process = process;
        this.log = log;
    }

    /** Somebody committed to a topic, or saw that batches are staged. */
    void sequence(int topic) {
        if (running.add(topic)) {
            call(topic, FIRST_PAUSE);
        } else {
            asked.add(topic);
        }
    }

    private void call(int topic, Duration pause) {
        log.sequence(topic).whenComplete((moved, failure) -> ended(topic, pause, moved, failure));
    }

    private void ended(int topic, Duration pause, @Nullable OptionalLong moved, @Nullable Throwable failure) {
        boolean isMissed = failure != null || moved == null || moved.isEmpty();
        if (isMissed && !world.has(ClientDefect.SEQUENCES_ONCE)) {
            Duration next = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
            process.schedule(pause, () -> call(topic, next));
        } else if (asked.remove(topic) || (!isMissed && moved.getAsLong() > 0)) {
            call(topic, FIRST_PAUSE);
        } else {
            running.remove(topic);
        }
    }
}
