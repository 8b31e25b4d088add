/**
 * Many records of one partition are processed at once by a slow function, in order per key, and no
 * commit comes before their results.
 */
@NullMarked
package dev.blobshuffle.kstreams.keyparallel;

import org.jspecify.annotations.NullMarked;
