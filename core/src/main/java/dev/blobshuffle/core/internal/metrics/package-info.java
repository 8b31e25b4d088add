/** The metrics of the engine, as data that each front door publishes in its own way. */
@NullMarked
package dev.blobshuffle.core.internal.metrics;

import org.jspecify.annotations.NullMarked;
