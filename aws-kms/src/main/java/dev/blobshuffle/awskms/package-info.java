/**
 * Encryption keys that AWS Key Management Service unwraps.
 *
 * <p>Public API: {@code docs/compatibility.md}.
 *
 * @since 0.1
 */
@NullMarked
package dev.blobshuffle.awskms;

import org.jspecify.annotations.NullMarked;
