/**
 * The members of a shuffle, their zones, and the owners of sections:
 * {@link dev.blobshuffle.core.membership.ZoneMap}.
 */
@NullMarked
package dev.blobshuffle.core.membership;

import org.jspecify.annotations.NullMarked;
