package dev.blobshuffle.kstreams.internal.calls;

import dev.blobshuffle.kstreams.keyparallel.calls.Outcome;
import java.util.List;

/** The slow function. Many threads call it concurrently. */
@FunctionalInterface
public interface Call<I, O> {
    /**
     * Starts a call for one or more records. Runs on a worker and may block. The call ends when the
     * completion is called, from any thread, or with an exception, which is then the outcome of
     * every record.
     */
    void start(List<I> inputs, Completion<O> completion) throws Exception;

    /** Receives a call's outcomes. Only the first answer counts. */
    @FunctionalInterface
    interface Completion<O> {
        /** Ends the call. @param outcomes one for each input, in their order */
        void complete(List<Outcome<O>> outcomes);
    }
}
