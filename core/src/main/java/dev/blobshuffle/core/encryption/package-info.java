/**
 * The contract of a source of encryption keys:
 * {@link dev.blobshuffle.core.encryption.KeyProviderFactory}.
 *
 * <p>Public API: {@code docs/compatibility.md}.
 *
 * @since 0.1
 */
@NullMarked
package dev.blobshuffle.core.encryption;

import org.jspecify.annotations.NullMarked;
