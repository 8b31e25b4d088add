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
 * <p>What a member sends is never trusted to be the log. Each question names the batch before, with
 * a checksum, so the pages of a reader form a chain. The log itself ends the chain: its next page
 * for the same reader is read with a bookmark, at the latest after 5 seconds. A member only ever
 * sends batches. That the log went back, a topic is gone or a position was trimmed, a reader learns
 * from the log alone.
 */
@NullMarked
package dev.blobshuffle.log.internal.share;

import org.jspecify.annotations.NullMarked;
