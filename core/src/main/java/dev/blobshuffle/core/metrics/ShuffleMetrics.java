package dev.blobshuffle.core.metrics;

/** The counters and distributions of one instance. Thread-safe. (Filled by the owner of {@code core.metrics}.) */
public final class ShuffleMetrics {}
