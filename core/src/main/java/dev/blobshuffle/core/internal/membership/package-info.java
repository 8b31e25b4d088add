/**
 * The members of a shuffle, their zones, and the owners of sections:
 * {@link dev.blobshuffle.core.internal.membership.ZoneMap}.
 */
@NullMarked
package dev.blobshuffle.core.internal.membership;

import org.jspecify.annotations.NullMarked;
