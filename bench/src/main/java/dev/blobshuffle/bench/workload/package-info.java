/** What is run: topologies, their inputs, and how their outputs are checked. */
@NullMarked
package dev.blobshuffle.bench.workload;

import org.jspecify.annotations.NullMarked;
