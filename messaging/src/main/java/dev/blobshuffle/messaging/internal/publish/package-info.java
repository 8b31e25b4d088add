/** Publishers over a commit log: records that an application appends, and their outcomes. */
@NullMarked
package dev.blobshuffle.messaging.internal.publish;

import org.jspecify.annotations.NullMarked;
