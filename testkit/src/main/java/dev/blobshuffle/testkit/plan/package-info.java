/**
 * Whole runs of the engine with an injected latency profile, against which the planner's model and
 * the adaptive mode are checked.
 */
@NullMarked
package dev.blobshuffle.testkit.plan;

import org.jspecify.annotations.NullMarked;
