package dev.blobshuffle.cli.doctor;

import dev.blobshuffle.cli.brokers.GroupTopics;
import dev.blobshuffle.cli.brokers.ShuffledTopics;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.store.StoreFinding;
import dev.blobshuffle.kafka.internal.client.TopicMatcher;
import dev.blobshuffle.kafka.internal.position.SkipGroup;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;

/**
 * Finds other groups that read an application's shuffled topics. A reader without BlobShuffle's
 * clients gets notifications. Stateless.
 */
final class ForeignReaders {
    /** The most groups to check. Each costs some requests. */
    private static final int MOST_GROUPS = 300;

    private static final String SUBJECT = "readers";

    private ForeignReaders() {}

    /**
     * The finding; empty if the settings do not specify an application, or nothing is shuffled yet.
     *
     * @param configuration the application's settings
     * @throws ExecutionException the brokers do not answer
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: the settings are
     *     unusable
     */
    static Optional<Finding> of(Admin admin, Map<String, String> configuration)
            throws ExecutionException, InterruptedException {
        String own = configuration.getOrDefault("application.id", configuration.getOrDefault("group.id", ""));
        Optional<ShuffledTopics> topics = topics(configuration);
        Set<String> shuffled = topics.isEmpty() ? Set.of() : topics.get().names(admin);
        if (own.isEmpty() || shuffled.isEmpty()) {
            return Optional.empty();
        }
        List<String> groups = admin.listGroups().valid().get().stream()
                .map(listing -> listing.groupId())
                .filter(group -> !group.equals(own) && !group.equals(SkipGroup.of(own)))
                .sorted()
                .toList();
        Map<String, Set<String>> foreign = foreign(admin, groups, shuffled);
        return Optional.of(Finding.of(Finding.KAFKA, finding(foreign, groups.size(), shuffled.size())));
    }

    private static Optional<ShuffledTopics> topics(Map<String, String> configuration) {
        Settings settings = KafkaSettings.parse(configuration);
        if (settings.isGiven(KafkaSettings.TOPICS_INCLUDE)) {
            return Optional.of(ShuffledTopics.named(TopicMatcher.of(
                    settings.value(KafkaSettings.TOPICS_INCLUDE), settings.value(KafkaSettings.TOPICS_EXCLUDE))));
        }
        return Optional.ofNullable(configuration.get("application.id")).map(ShuffledTopics::of);
    }

    private static Map<String, Set<String>> foreign(Admin admin, List<String> groups, Set<String> shuffled)
            throws ExecutionException, InterruptedException {
        GroupTopics known = new GroupTopics(admin);
        Map<String, Set<String>> foreign = new TreeMap<>();
        for (String group : groups.subList(0, Math.min(groups.size(), MOST_GROUPS))) {
            Set<String> read = new HashSet<>(known.readBy(group));
            read.retainAll(shuffled);
            if (!read.isEmpty() && !known.hasOurAssignor(group)) {
                foreign.put(group, new TreeSet<>(read));
            }
        }
        return foreign;
    }

    private static StoreFinding finding(Map<String, Set<String>> foreign, int groups, int topics) {
        String looked = groups > MOST_GROUPS ? ", of the first " + MOST_GROUPS + " of " + groups + " groups" : "";
        if (foreign.isEmpty()) {
            return StoreFinding.ok(SUBJECT, "no other group reads the " + topics + " shuffled topics" + looked);
        }
        String names = foreign.entrySet().stream()
                .map(group -> group.getKey() + " (" + String.join(", ", group.getValue()) + ")")
                .collect(Collectors.joining("; "));
        return StoreFinding.warning(
                SUBJECT,
                "other groups read shuffled topics" + looked + ": " + names,
                "Such a reader gets notifications instead of records, unless it has BlobShuffle's clients with the"
                        + " same store. Give it those, exclude the topic with blobshuffle.topics.exclude, or have it"
                        + " read another topic.");
    }
}
