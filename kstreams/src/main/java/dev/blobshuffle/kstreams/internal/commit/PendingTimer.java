package dev.blobshuffle.kstreams.internal.commit;

import java.time.Duration;
import org.apache.kafka.streams.processor.Cancellable;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ProcessingContext;
import org.jspecify.annotations.Nullable;

/**
 * Runs a task periodically while work is pending. It stops otherwise, because each punctuation
 * makes Kafka Streams commit, and an idle application should not commit. Owned by the stream
 * thread.
 */
public final class PendingTimer {
    private final ProcessingContext context;
    private final Duration interval;
    private final Runnable task;
    private @Nullable Cancellable scheduled;

    /** A stopped timer. @param task runs on the stream thread, every 10 ms */
    public PendingTimer(ProcessingContext context, Runnable task) {
        this(context, Duration.ofMillis(10), task);
    }

    /**
     * A stopped timer. @param interval shortest time between two runs @param task runs on the
     * stream thread
     */
    public PendingTimer(ProcessingContext context, Duration interval, Runnable task) {
        this.context = context;
        this.interval = interval;
        this.task = task;
    }

    /**
     * Starts the timer unless it runs. In {@code process} only: elsewhere Kafka Streams does not
     * accept a schedule.
     */
    public void start() {
        if (scheduled == null) {
            scheduled = context.schedule(interval, PunctuationType.WALL_CLOCK_TIME, now -> task.run());
        }
    }

    /** Stops the timer if it runs. */
    public void stop() {
        Cancellable running = scheduled;
        if (running != null) {
            running.cancel();
            scheduled = null;
        }
    }
}
