package dev.blobshuffle.cli.brokers;

import dev.blobshuffle.kafka.internal.client.TopicMatcher;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.GroupListing;

/**
 * The topics through which an application shuffles. Kafka Streams prefixes their names with the
 * application's id, so names of {@code orders-v2} also match {@code orders}. A topic that matches
 * two applications belongs to the one whose group reads it ({@link GroupTopics}). Stateless.
 */
public final class ShuffledTopics {
    private final TopicMatcher matcher;
    private final Optional<String> application;

    private ShuffledTopics(TopicMatcher matcher, Optional<String> application) {
        this.matcher = matcher;
        this.application = application;
    }

    /** Topics that the user specified. */
    public static ShuffledTopics named(TopicMatcher matcher) {
        return new ShuffledTopics(matcher, Optional.empty());
    }

    /** The internal repartition topics of a Kafka Streams application. */
    public static ShuffledTopics of(String application) {
        return new ShuffledTopics(TopicMatcher.repartitionTopics(application, List.of()), Optional.of(application));
    }

    /**
     * The existing topics. Includes a topic that may belong to another application if neither group
     * reads it.
     *
     * @throws ExecutionException the brokers do not answer
     */
    public Set<String> names(Admin admin) throws ExecutionException, InterruptedException {
        Set<String> names = new HashSet<>(admin.listTopics().names().get());
        names.removeIf(name -> name.endsWith("-changelog") || !matcher.matches(name));
        if (application.isPresent() && !names.isEmpty()) {
            names.removeAll(ofOthers(admin, application.get(), names));
        }
        return names;
    }

    private static Set<String> ofOthers(Admin admin, String application, Set<String> names)
            throws ExecutionException, InterruptedException {
        List<GroupListing> others = admin.listGroups().valid().get().stream()
                .filter(group -> group.groupId().startsWith(application + "-"))
                .filter(group -> names.stream().anyMatch(name -> name.startsWith(group.groupId() + "-")))
                .toList();
        if (others.isEmpty()) {
            return Set.of();
        }
        GroupTopics groups = new GroupTopics(admin);
        Set<String> ofOthers = new HashSet<>();
        for (GroupListing other : others) {
            Set<String> read = new HashSet<>(groups.readBy(other.groupId()));
            read.removeIf(name -> !name.startsWith(other.groupId() + "-"));
            ofOthers.addAll(read);
        }
        ofOthers.removeAll(groups.readBy(application));
        return ofOthers;
    }
}
