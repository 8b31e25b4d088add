package dev.blobshuffle.messaging.differential;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** The result of a call as text, or the class or state of its failure. */
final class Outcome {
    /** The last failure of a thread's program, for the message of a difference. */
    private static final ThreadLocal<@Nullable Throwable> LAST = new ThreadLocal<>();

    private Outcome() {}

    static String of(Callable<String> call) {
        try {
            return call.call();
        } catch (Exception e) {
            return failure(e);
        }
    }

    static String failure(Throwable thrown) {
        boolean isWrapped = thrown instanceof ExecutionException || thrown instanceof CompletionException;
        Throwable failure = isWrapped && thrown.getCause() != null ? thrown.getCause() : thrown;
        LAST.set(failure);
        return failure instanceof SQLException sql ? "throws " + sql.getSQLState() : failure(failure.getClass());
    }

    /** The last failure of a call, in full. */
    static String last() {
        StringWriter text = new StringWriter();
        Throwable last = LAST.get();
        if (last != null) {
            last.printStackTrace(new PrintWriter(text));
        }
        return text.toString();
    }

    static String failure(Class<?> type) {
        return "throws " + type.getSimpleName();
    }
}
