/**
 * Follows the topics of a commit log for all readers of one instance. Start at
 * {@link dev.blobshuffle.log.internal.tail.LogTails}.
 *
 * <pre>
 *   LogWatch ──one look for all topics──▶ Tailer (one per topic): ring of batches ──▶ TailCursor (one per reader)
 *                                                          the log ──own pages──▶ TailCursor that is not in the ring
 * </pre>
 */
@NullMarked
package dev.blobshuffle.log.internal.tail;

import org.jspecify.annotations.NullMarked;
