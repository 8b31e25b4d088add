/** The formats of blobs and notifications, described in {@code docs/format.md}. */
@NullMarked
package dev.blobshuffle.core.internal.format;

import org.jspecify.annotations.NullMarked;
