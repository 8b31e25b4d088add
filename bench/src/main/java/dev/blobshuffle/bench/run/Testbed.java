package dev.blobshuffle.bench.run;

import java.io.IOException;
import java.util.function.Consumer;

/** Where runs follow each other: brokers that stay, or a script. Owned by one thread. */
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
     * Runs a variant so that the next run meets warm brokers. The JVMs of new brokers are young:
     * the first run takes more of their CPU time, and falls behind with loads that it carries
     * later.
     *
     * @return not to be compared; but its output may be wrong
     */
    RunResult runUnmeasured(Cell cell, Variant variant) throws IOException, InterruptedException;

    @Override
    void close() throws IOException;
}
