/**
 * A virtual clock and processes in virtual time: the engine runs, stops and crashes by a seed.
 * Start at {@link dev.blobshuffle.simulator.Simulation}.
 */
@NullMarked
package dev.blobshuffle.simulator;

import org.jspecify.annotations.NullMarked;
