/**
 * Azure Blob Storage as a store: {@code az://account/container/prefix}.
 *
 * <p>Public API: {@code docs/compatibility.md}.
 *
 * @since 0.1
 */
@NullMarked
package dev.blobshuffle.azure;

import org.jspecify.annotations.NullMarked;
