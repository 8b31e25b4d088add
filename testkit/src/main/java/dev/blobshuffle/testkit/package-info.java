/**
 * The base class for tests of your own store: {@link
 * dev.blobshuffle.testkit.BlobStoreContractTest}.
 *
 * <p>Public API: {@code docs/compatibility.md}.
 *
 * @since 0.1
 */
@NullMarked
package dev.blobshuffle.testkit;

import org.jspecify.annotations.NullMarked;
