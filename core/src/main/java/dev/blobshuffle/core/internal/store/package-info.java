/**
 * The memory store, decorators of any store, and the code that all stores share.
 */
@NullMarked
package dev.blobshuffle.core.internal.store;

import org.jspecify.annotations.NullMarked;
