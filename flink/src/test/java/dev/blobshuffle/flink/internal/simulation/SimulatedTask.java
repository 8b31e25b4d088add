package dev.blobshuffle.flink.internal.simulation;

import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.flink.internal.simulation.Attempt.TaskManager;
import dev.blobshuffle.simulator.Actor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A subtask: the mails that are there, then a step of its input. Guarded by the simulation's baton.
 */
abstract class SimulatedTask {
    final Attempt attempt;
    final int index;
    final TaskManager manager;
    final SimulatedMailbox mailbox;
    private final List<Actor> actors = new ArrayList<>();
    private boolean isEnded;

    SimulatedTask(Attempt attempt, int index, TaskManager manager) {
        this.attempt = attempt;
        this.index = index;
        this.manager = manager;
        mailbox = new SimulatedMailbox(manager.process());
    }

    abstract String name();

    abstract void open() throws Exception;

    /** Takes a step with the input. Returns whether there was one. */
    abstract boolean step() throws Exception;

    /** Time until the input may have a step without any arrival. */
    abstract Duration untilStep();

    abstract void close();

    /** A checkpoint was given up. */
    abstract void aborted(long checkpoint);

    void start() {
        actor("task", this::run);
    }

    /** Runs something beside the task, which fails as the task does. */
    final void actor(String what, Actor.Body body) {
        actors.add(manager.process().actor(name() + "/" + what, () -> {
            try {
                body.run();
            } catch (Exception e) {
                attempt.failed(name(), e);
            }
        }));
    }

    private void run() throws Exception {
        open();
        Signal signal = mailbox.signal();
        while (!isEnded) {
            long seen = signal.count();
            boolean hadMails = mailbox.runBatch();
            if (step()) {
                if (attempt.time().random(4) == 0) {
                    attempt.time().pause();
                }
            } else if (!hadMails) {
                boolean ignored = signal.await(
                        seen, manager.process().nanos() + untilStep().toNanos());
            }
        }
    }

    /** Ends its actors at their next waits. */
    void kill() {
        isEnded = true;
        actors.forEach(Actor::kill);
    }

    boolean isAlive() {
        return actors.stream().anyMatch(Actor::isAlive);
    }

    /** The message of a failure with its causes. */
    static String describe(@Nullable Throwable failure) {
        StringBuilder text = new StringBuilder();
        for (Throwable each = failure; each != null; each = each.getCause()) {
            text.append(each);
            StackTraceElement[] frames = each.getStackTrace();
            for (int i = 0; i < Math.min(frames.length, 10); i++) {
                text.append("\n      at ").append(frames[i]);
            }
            text.append('\n');
        }
        return text.toString();
    }
}
