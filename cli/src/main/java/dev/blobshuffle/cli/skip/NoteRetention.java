package dev.blobshuffle.cli.skip;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;

/**
 * Reads how long brokers keep the commits of a group without members: their setting
 * {@code offsets.retention.minutes}. Stateless.
 */
final class NoteRetention {
    private static final String SETTING = "offsets.retention.minutes";

    private NoteRetention() {}

    /** The value of one of the brokers; empty if the client may not see its settings. */
    static Optional<Duration> of(Admin admin) throws InterruptedException {
        try {
            int broker = admin.describeCluster().nodes().get().iterator().next().id();
            ConfigResource resource = new ConfigResource(ConfigResource.Type.BROKER, Integer.toString(broker));
            return admin.describeConfigs(List.of(resource)).all().get().values().stream()
                    .flatMap(settings -> Optional.ofNullable(settings.get(SETTING)).stream())
                    .map(ConfigEntry::value)
                    .map(minutes -> Duration.ofMinutes(Long.parseLong(minutes)))
                    .findFirst();
        } catch (ExecutionException e) {
            return Optional.empty();
        }
    }
}
