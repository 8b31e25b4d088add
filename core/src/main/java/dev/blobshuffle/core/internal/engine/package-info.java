/** The engine of an instance, which combines the write side, the read side and a store. */
@NullMarked
package dev.blobshuffle.core.internal.engine;

import org.jspecify.annotations.NullMarked;
