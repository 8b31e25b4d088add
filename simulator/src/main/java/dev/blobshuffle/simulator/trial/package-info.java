/**
 * Whole runs of the engine with an injected latency profile, against which the planner's model and
 * the adaptive mode are checked.
 */
@NullMarked
package dev.blobshuffle.simulator.trial;

import org.jspecify.annotations.NullMarked;
