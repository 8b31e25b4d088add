/**
 * The commit log of topics that have no broker: which batches a topic has, in which order, who may
 * write them, how far each consumer group has read, and which blobs may be deleted. The records are
 * in blobs, or small ones in the log's own entries.
 *
 * <p>A log stages first and sequences afterwards. A commit stages batches and locks nothing that
 * another writer needs. Sequencing is a step of its own, by one caller at a time per topic; it
 * gives the staged batches their positions, without holes. Readers see sequenced batches only.
 */
@NullMarked
package dev.blobshuffle.log.internal;

import org.jspecify.annotations.NullMarked;
