/** The write side: records go into lanes, and references out of the operator. */
@NullMarked
package dev.blobshuffle.flink.internal.batch;

import org.jspecify.annotations.NullMarked;
