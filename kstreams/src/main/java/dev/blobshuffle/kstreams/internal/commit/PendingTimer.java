package dev.blobshuffle.kstreams.internal.commit;

import java.time.Duration;
import org.apache.kafka.streams.processor.Cancellable;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ProcessingContext;
import org.jspecify.annotations.Nullable;

/**
 * Calls back while something is pending, and only then: each punctuation makes Kafka Streams
 * commit, so an idle application must have none. Owned by the stream thread.
 */
public final class PendingTimer {
    private final ProcessingContext context;
    private final Duration interval;
    private final Runnable task;
    private @Nullable Cancellable scheduled;

    /** Does not run yet. @param task what is called on the stream thread, every 10 ms */
    public PendingTimer(ProcessingContext context, Runnable task) {
        this(context, Duration.ofMillis(10), task);
    }

    /**
     * Does not run yet. @param interval at which it calls, at best @param task what is called, on
     * the stream thread
     */
    public PendingTimer(ProcessingContext context, Duration interval, Runnable task) {
        this.context = context;
        this.interval = interval;
        this.task = task;
    }

    /**
     * Starts unless it runs. In {@code process} only: elsewhere Kafka Streams does not take a
     * schedule.
     */
    public void start() {
        if (scheduled == null) {
            scheduled = context.schedule(interval, PunctuationType.WALL_CLOCK_TIME, now -> task.run());
        }
    }

    /** Stops, if it runs. */
    public void stop() {
        Cancellable running = scheduled;
        if (running != null) {
            running.cancel();
            scheduled = null;
        }
    }
}
