/**
 * The options of the write side, and their settings. Start at {@link
 * dev.blobshuffle.core.internal.write.options.BatcherOptions}.
 */
@NullMarked
package dev.blobshuffle.core.internal.write.options;

import org.jspecify.annotations.NullMarked;
