package dev.blobshuffle.planner;

/**
 * The latencies of records through the shuffle, from the Batcher to the Debatcher, in seconds.
 *
 * @param p50 median
 * @param p95 95th percentile
 * @param p99 99th percentile
 * @param fill part of the mean: waiting for the batch to be sealed
 * @param store part of the mean: put, and waiting for earlier puts
 * @param commit part of the mean: waiting for the commit that makes the record visible
 * @param read part of the mean: channel, get, and waiting for earlier gets
 */
public record Latencies(double p50, double p95, double p99, double fill, double store, double commit, double read) {}
