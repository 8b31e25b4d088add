/**
 * Chaos: application instances and brokers as processes that are killed, frozen and cut off from
 * their store while records flow, and every record checked at the end.
 * {@link dev.blobshuffle.kstreams.chaos.ChaosRun} is one run,
 * {@link dev.blobshuffle.kstreams.chaos.ChaosFault} lists what is done to it.
 */
package dev.blobshuffle.kstreams.chaos;
