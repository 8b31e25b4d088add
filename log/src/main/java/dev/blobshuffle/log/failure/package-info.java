/**
 * Failures of a commit log, typed by how the caller must react.
 *
 * <p>Public API: {@code docs/compatibility.md}.
 *
 * @since 0.1
 */
@NullMarked
package dev.blobshuffle.log.failure;

import org.jspecify.annotations.NullMarked;
