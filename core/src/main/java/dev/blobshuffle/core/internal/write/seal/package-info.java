/**
 * The seal step: decides when a batch ends, and how large it is. Start at {@link
 * dev.blobshuffle.core.internal.write.seal.OpenBatch}.
 */
@NullMarked
package dev.blobshuffle.core.internal.write.seal;

import org.jspecify.annotations.NullMarked;
