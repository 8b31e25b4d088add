/** Publishers over a commit log: what an application appends, and what becomes of it. */
@NullMarked
package dev.blobshuffle.messaging.internal.publish;

import org.jspecify.annotations.NullMarked;
