/**
 * The commit log of topics without a broker: the batches of a topic and their order, the permitted
 * writers, the position of each consumer group, and the blobs that may be deleted. Records are in
 * blobs; small records are in the log's own entries.
 *
 * <p>A log stages first and sequences afterwards. A commit stages batches and locks nothing that
 * another writer needs. Sequencing is a separate step, by one caller at a time per topic; it gives
 * the staged batches their positions, without holes. Readers see only sequenced batches.
 */
@NullMarked
package dev.blobshuffle.log.internal;

import org.jspecify.annotations.NullMarked;
