/**
 * Chaos tests: application instances and brokers are processes that are killed, suspended and cut
 * off from their store while records flow, and every record is checked at the end.
 * {@link dev.blobshuffle.kstreams.chaos.ChaosRun} is one run,
 * {@link dev.blobshuffle.kstreams.chaos.ChaosFault} lists the faults.
 */
package dev.blobshuffle.kstreams.chaos;
