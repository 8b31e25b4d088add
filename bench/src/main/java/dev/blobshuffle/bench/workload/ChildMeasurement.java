package dev.blobshuffle.bench.workload;

/**
 * A measurement and the groups that it is in.
 *
 * @param measurement of a sensor or a group
 * @param parents identifiers, separated by commas
 */
record ChildMeasurement(Measurement measurement, String parents) {}
