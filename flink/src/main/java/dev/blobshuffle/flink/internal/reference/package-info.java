/** References to records. They travel on Flink's network in place of the records. */
@NullMarked
package dev.blobshuffle.flink.internal.reference;

import org.jspecify.annotations.NullMarked;
