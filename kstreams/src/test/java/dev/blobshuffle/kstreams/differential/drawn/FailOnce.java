package dev.blobshuffle.kstreams.differential.drawn;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** Throws at the first record of a kind, once per application. */
final class FailOnce extends ContextualProcessor<String, String, String, String> {
    private static final Set<String> FAILED = ConcurrentHashMap.newKeySet();

    private final String name;

    FailOnce(String name) {
        this.name = name;
    }

    @Override
    public void process(Record<String, String> record) {
        if (Texts.bucket(record.value(), 6) == 2 && FAILED.add(context().applicationId() + "-" + name)) {
            throw new Planned();
        }
        context().forward(record);
    }

    /** Whether an exception is the one thrown here, or was caused by it. */
    static boolean isIn(Throwable exception) {
        for (Throwable cause = exception; cause != null; cause = cause.getCause()) {
            if (cause instanceof Planned) {
                return true;
            }
        }
        return false;
    }

    private static final class Planned extends RuntimeException {
        private static final long serialVersionUID = 1;

        private Planned() {
            super("planned");
        }
    }
}
