package dev.blobshuffle.cli.brokers;

import dev.blobshuffle.cli.option.ConfigOptions;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.kafka.internal.client.TopicMatcher;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that select an application and its topics. Filled by the command line. */
public final class ApplicationOptions {
    @Option(
            names = "--application-id",
            paramLabel = "ID",
            description = {
                "The application.id, or the group.id of a plain consumer (then with --topics)",
                "(default: application.id from --config or --profile)."
            })
    private @Nullable String id;

    @Option(
            names = "--topics",
            paramLabel = "PATTERN",
            split = ",",
            description = "The topics, as in blobshuffle.topics.include (default: internal repartition topics).")
    private @Nullable List<String> topics;

    /** Created by the command line. */
    public ApplicationOptions() {}

    /**
     * Takes the application.id from the settings if no option specifies it.
     *
     * @throws InvalidSettingsException fatal: neither an option nor a setting specifies the
     *     application
     */
    public void complete(ConfigOptions config) {
        if (id == null) {
            id = config.value("application.id")
                    .orElseThrow(() -> new InvalidSettingsException("Cannot find the application: none is named. Give"
                            + " --application-id, or --config or --profile with application.id."));
        }
    }

    /** The application.id, or the group.id of a plain consumer. Call {@link #complete} first. */
    public String id() {
        return id == null ? "the application" : id;
    }

    /** Whether the user specified the topics. */
    public boolean namesTopics() {
        return topics != null;
    }

    /**
     * The topics of the application.
     *
     * @throws InvalidSettingsException fatal: a pattern is malformed
     */
    public ShuffledTopics topics() {
        return topics == null ? ShuffledTopics.of(id()) : ShuffledTopics.named(TopicMatcher.of(topics, List.of()));
    }
}
