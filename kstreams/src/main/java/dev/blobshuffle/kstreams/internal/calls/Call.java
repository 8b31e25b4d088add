package dev.blobshuffle.kstreams.internal.calls;

import dev.blobshuffle.kstreams.keyparallel.calls.Outcome;
import java.util.List;

/** The slow function. Called by many threads at once. */
@FunctionalInterface
public interface Call<I, O> {
    /**
     * Begins a call for one or more records; runs on a worker and may block. It ends when the
     * completion is told, then or later, from any thread; or with an exception, which is the
     * outcome for each of the records.
     */
    void start(List<I> inputs, Completion<O> completion) throws Exception;

    /** Where a call's outcomes go. Only the first answer counts. */
    @FunctionalInterface
    interface Completion<O> {
        /** Ends the call. @param outcomes one for each input, in their order */
        void complete(List<Outcome<O>> outcomes);
    }
}
