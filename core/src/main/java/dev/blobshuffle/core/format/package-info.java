/** The container of a blob, its id and its notifications, described in {@code docs/format.md}. */
@NullMarked
package dev.blobshuffle.core.format;

import org.jspecify.annotations.NullMarked;
