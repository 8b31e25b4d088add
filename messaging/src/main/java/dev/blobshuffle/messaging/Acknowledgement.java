package dev.blobshuffle.messaging;

/**
 * The answer to a publish: the record is durable, and every subscriber will receive it. Its
 * position is not known yet, because the log orders batches after their commit.
 *
 * @param partition the record's partition
 * @param timestamp the record's, milliseconds since the Unix epoch
 */
public record Acknowledgement(TopicPartition partition, long timestamp) {}
