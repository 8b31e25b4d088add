package dev.blobshuffle.messaging.internal.subscribe;

import dev.blobshuffle.messaging.Header;
import dev.blobshuffle.messaging.TopicPartition;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Sends records that could not be processed to the dead letters, with headers for their origin and
 * the reason. Owned by the subscriber's thread.
 */
final class RefusedRecords {
    private static final String PREFIX = "blobshuffle.dead.";

    /**
     * Limit on a failure's text, which may be as long as a record. Its beginning has the reason.
     */
    private static final int MOST_TEXT = 1000;

    private final String group;
    private final Optional<DeadLetters> letters;

    RefusedRecords(String group, Optional<DeadLetters> letters) {
        this.group = group;
        this.letters = letters;
    }

    /** Whether there is a topic for dead letters. */
    boolean areKept() {
        return letters.isPresent();
    }

    /** Sends a record. */
    void keep(TopicPartition partition, long position, PlainRecord record, Throwable reason) {
        DeadLetters target = letters.orElseThrow(() -> new IllegalStateException(
                "Cannot refuse a record: the subscription names no topic for dead letters. Name one."));
        List<Header> headers = new ArrayList<>(record.headers());
        headers.add(header("topic", partition.topic()));
        headers.add(header("partition", Integer.toString(partition.partition())));
        headers.add(header("position", Long.toString(position)));
        headers.add(header("group", group));
        headers.add(header("failure", reason.getClass().getName()));
        String message = reason.getMessage();
        if (message != null) {
            headers.add(header("message", message.substring(0, Math.min(message.length(), MOST_TEXT))));
        }
        target.send(record.timestamp(), record.key(), record.value(), headers);
    }

    private static Header header(String name, String value) {
        return new Header(PREFIX + name, value.getBytes(StandardCharsets.UTF_8));
    }

    /** Waits until all sent records are durable. */
    void flush() {
        letters.ifPresent(DeadLetters::flush);
    }

    void close() {
        letters.ifPresent(DeadLetters::close);
    }
}
