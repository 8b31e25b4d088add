package dev.blobshuffle.bench.demo;

import java.time.Duration;

/**
 * The result of one run.
 *
 * @param variant how the application shuffled
 * @param measured the measurements of its instances
 * @param feeding the time in which the lines were sent
 * @param shuffleBrokerBytes bytes written to the logs of the repartition topics, one copy
 * @param applicationCpu CPU time of all instances from the end of the warm-up to the last result
 * @param brokerCpu CPU time of all brokers, the same span
 * @param outputs the output
 * @param blobsLeft blobs in the store after the sweep
 */
record VariantResult(
        DemoVariant variant,
        DemoMeasurement measured,
        Duration feeding,
        long shuffleBrokerBytes,
        Duration applicationCpu,
        Duration brokerCpu,
        Outputs outputs,
        long blobsLeft) {
    /** Records that were shuffled. */
    long records() {
        return measured.records();
    }
}
