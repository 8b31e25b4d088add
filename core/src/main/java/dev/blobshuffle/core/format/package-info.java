/** The bytes of a blob, a record and a notification, described in {@code docs/format.md}. */
@NullMarked
package dev.blobshuffle.core.format;

import org.jspecify.annotations.NullMarked;
