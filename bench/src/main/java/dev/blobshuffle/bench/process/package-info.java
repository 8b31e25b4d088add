/** Processes beside this one: instances, load generators, and their CPU time. */
@NullMarked
package dev.blobshuffle.bench.process;

import org.jspecify.annotations.NullMarked;
