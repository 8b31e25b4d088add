/**
 * The format of segments of records: frames and the record layout, described in {@code
 * docs/format.md}.
 */
@NullMarked
package dev.blobshuffle.core.internal.format.record;

import org.jspecify.annotations.NullMarked;
