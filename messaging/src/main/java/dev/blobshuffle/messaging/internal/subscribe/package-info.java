/**
 * Subscribers: from the batches of a commit log to the records of a poll. Start at
 * {@link dev.blobshuffle.messaging.internal.subscribe.LogSubscriber}.
 *
 * <pre>
 *   GroupSession ──what the member owns──▶ OwnedReadings ──starts──▶ TopicReading: one or two streams
 *   LogTails ──batches──▶ TopicStream ──runs of owned partitions──▶ Debatcher ──records──▶ PollResult
 * </pre>
 */
@NullMarked
package dev.blobshuffle.messaging.internal.subscribe;

import org.jspecify.annotations.NullMarked;
