package dev.blobshuffle.kafka.differential;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.errors.RetriableException;

/** The result of a call as a text that is the same on both sides, or the class of its failure. */
final class Outcome {
    private Outcome() {}

    static String of(Callable<String> call) {
        try {
            return call.call();
        } catch (AssertionError e) {
            throw e;
        } catch (Exception e) {
            return failure(e);
        }
    }

    /** The class of a failure, and whether the caller may retry. */
    static String failure(Throwable thrown) {
        Throwable failure = thrown instanceof ExecutionException ? thrown.getCause() : thrown;
        return "throws " + failure.getClass().getSimpleName()
                + (failure instanceof RetriableException ? " (retriable)" : "");
    }
}
