package dev.blobshuffle.kafka.internal.position;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rewrites an application's {@link SkipGroup} every hour, so that brokers do not delete it while
 * the application may need it. Ends when the application has passed all given-up notifications. The
 * running application has read the group already, but after a restart it reads the group again. If
 * it is far behind, that may be days later. Thread-safe; the work runs on its own thread.
 */
public final class SkipNote implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SkipNote.class);
    private static final Duration INTERVAL = Duration.ofHours(1);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Map<String, Object> client;
    private final String application;
    private final Duration interval;
    private final Time time;
    private final Time.Workers worker;
    private volatile boolean isClosed;

    /** Owned by the worker. */
    private boolean isWarned;

    private SkipNote(Map<String, Object> client, String application, Duration interval, Time time) {
        this.client = Map.copyOf(client);
        this.application = application;
        this.interval = interval;
        this.time = time;
        worker = time.workers("blobshuffle-skipped", 1);
    }

    /**
     * Starts to rewrite the group, first after an hour.
     *
     * @param client settings of an admin client
     * @param time closed after the note
     */
    public static SkipNote keep(Map<String, Object> client, String application, Time time) {
        return keep(client, application, INTERVAL, time);
    }

    static SkipNote keep(Map<String, Object> client, String application, Duration interval, Time time) {
        SkipNote note = new SkipNote(client, application, interval, time);
        note.renewLater();
        return note;
    }

    private void renewLater() {
        untilClosed(() -> time.schedule(interval, () -> untilClosed(() -> worker.execute(this::renew))));
    }

    private void untilClosed(Runnable step) {
        try {
            if (!isClosed) {
                step.run();
            }
        } catch (ClosedException e) {
            LOG.trace("The application has ended.", e);
        }
    }

    private void renew() {
        boolean isNeeded = true;
        try (Admin admin = Admin.create(client)) {
            isNeeded = SkipGroup.renew(admin, application, PATIENCE);
        } catch (ExecutionException | KafkaException e) {
            if (!isWarned) {
                isWarned = true;
                LOG.warn(
                        "The note of the notifications that {} skips cannot be rewritten. Brokers delete the note"
                                + " after offsets.retention.minutes, and after a restart the application fails at"
                                + " the missing blobs again. Allow the application to read group {}.",
                        application,
                        SkipGroup.of(application),
                        e);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (isNeeded) {
            renewLater();
        }
    }

    /** Stops rewriting; the stored commits stay. Idempotent. */
    @Override
    public void close() {
        isClosed = true;
        worker.close();
    }
}
