/** What travels on Flink's network in place of records. */
@NullMarked
package dev.blobshuffle.flink.internal.reference;

import org.jspecify.annotations.NullMarked;
