package dev.blobshuffle.messaging;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A record that a subscriber has received.
 *
 * @param topic its topic
 * @param partition of the topic
 * @param position its position in the partition; rises, with gaps
 * @param timestamp the publisher's, milliseconds since the Unix epoch
 * @param key null: none
 * @param value null: none
 * @param headers in order
 */
public record ReceivedRecord<K, V>(
        String topic,
        int partition,
        long position,
        long timestamp,
        @Nullable K key,
        @Nullable V value,
        List<Header> headers) {}
