package dev.blobshuffle.bench.run;

import java.io.IOException;
import java.util.function.Consumer;

/** The place of successive runs: brokers that stay, or a script. Owned by one thread. */
public interface Testbed extends AutoCloseable {
    /** Opens the testbed of a plan. */
    @FunctionalInterface
    interface Opening {
        /**
         * Starts it.
         *
         * @param replication as many brokers, and replicas of each topic
         * @param progress is called line by line
         */
        Testbed open(BenchPlan plan, int replication, Consumer<String> progress);
    }

    /** Runs a variant of the plan's workload. */
    RunResult run(Cell cell, Variant variant, int repetition) throws IOException, InterruptedException;

    /**
     * Runs a variant to warm up the brokers for the next run. The first run includes their JIT
     * warm-up: it takes more CPU time, and falls behind at loads that later runs carry.
     *
     * @return a result that must not be compared, but whose output may show a problem
     */
    RunResult runUnmeasured(Cell cell, Variant variant) throws IOException, InterruptedException;

    @Override
    void close() throws IOException;
}
