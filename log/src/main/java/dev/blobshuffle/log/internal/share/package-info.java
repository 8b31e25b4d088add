/**
 * The instances of a zone read a commit log together. For each topic, rendezvous hashing chooses
 * one of them, which reads the batches from the log once and hands them to the others.
 *
 * <pre>
 *   ring of a topic ──▶ ZoneTopicPages ──below 2 MB/s, to compare, and if all else fails──▶ the log
 *                          │     └──this instance is chosen──▶ SharedLog ──one read for all──▶ the log
 *                          └──another one is──▶ LogPeers ─ ─ network ─ ─▶ SharedLog of that instance
 * </pre>
 *
 * <p>Pages of a member are verified. Each question names the preceding batch with a checksum, so
 * the pages of a reader form a chain. The log itself confirms the chain: at the latest after 5
 * seconds, the reader's next page comes from the log and is read with a bookmark. A member sends
 * only batches. Only the log reports that it went back, that a topic is gone, or that a position
 * was trimmed.
 */
@NullMarked
package dev.blobshuffle.log.internal.share;

import org.jspecify.annotations.NullMarked;
