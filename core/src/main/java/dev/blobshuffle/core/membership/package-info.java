/** Who takes part in a shuffle, where, and who answers for which section: {@link dev.blobshuffle.core.membership.ZoneMap}. */
@NullMarked
package dev.blobshuffle.core.membership;

import org.jspecify.annotations.NullMarked;
