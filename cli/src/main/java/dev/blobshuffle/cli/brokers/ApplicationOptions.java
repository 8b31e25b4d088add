package dev.blobshuffle.cli.brokers;

import dev.blobshuffle.kafka.internal.client.TopicMatcher;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The application that a command is about, and its topics. Filled by the command line. */
public final class ApplicationOptions {
    @Option(
            names = "--application-id",
            required = true,
            paramLabel = "ID",
            description = "The application.id, or the group.id of a plain consumer (then with --topics).")
    private String id;

    @Option(
            names = "--topics",
            paramLabel = "PATTERN",
            split = ",",
            description = "The topics, as in blobshuffle.topics.include (default: internal repartition topics).")
    private @Nullable List<String> topics;

    /** Made by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public ApplicationOptions() {}

    /** The application.id, or the group.id of a plain consumer. */
    public String id() {
        return id;
    }

    /** Whether the user named the topics. */
    public boolean namesTopics() {
        return topics != null;
    }

    /**
     * The topics of the application.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettings fatal: a pattern is malformed
     */
    public ShuffledTopics topics() {
        return topics == null ? ShuffledTopics.of(id) : ShuffledTopics.named(TopicMatcher.of(topics, List.of()));
    }
}
