/** The workloads: topologies, their inputs, and the checks of their outputs. */
@NullMarked
package dev.blobshuffle.bench.workload;

import org.jspecify.annotations.NullMarked;
