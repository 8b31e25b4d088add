/**
 * How the write side batches, as its user says. Start at {@link
 * dev.blobshuffle.core.internal.write.options.BatcherOptions}.
 */
@NullMarked
package dev.blobshuffle.core.internal.write.options;

import org.jspecify.annotations.NullMarked;
