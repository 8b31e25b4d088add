package dev.blobshuffle.log.internal;

/**
 * A batch with its place in a topic.
 *
 * @param sequence its place in the topic, from 0, without holes
 * @param id its identity in the log; rises in the order in which commits began
 * @param committedMillis when it was committed or sequenced, by the log's clock, milliseconds since
 *     the Unix epoch; never falls along a topic
 * @param entries its encoded entries ({@code EntriesCodec}); not to be changed
 */
public record SequencedBatch(long sequence, long id, long committedMillis, byte[] entries) {}
