package dev.blobshuffle.kafka.internal.client;

import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.store.StoreSettings;
import dev.blobshuffle.core.internal.version.OwnVersion;
import dev.blobshuffle.core.internal.write.options.WriteSettings;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import java.time.Duration;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The line that an engine logs when it has started: the topics, the store and the main settings.
 * Stateless.
 */
public final class StartLine {
    private static final Logger LOG = LoggerFactory.getLogger("dev.blobshuffle");

    private StartLine() {}

    /**
     * Logs the line.
     *
     * @param who the application or client
     * @param topics what it shuffles
     */
    public static void log(String who, Settings settings, String topics) {
        LOG.info("{}", text(who, settings, topics));
    }

    /**
     * The text of the line. It names the store without its parameters, which may contain
     * credentials.
     */
    static String text(String who, Settings settings, String topics) {
        return "BlobShuffle " + OwnVersion.text() + " started for " + who
                + ": topics " + topics
                + "; store " + StoreSettings.uri(settings).replaceAll("\\?.*", "?…")
                + "; writing " + (settings.value(KafkaSettings.WRITE_ENABLED) ? "blobs" : "off (plain records)")
                + "; batches of " + settings.value(WriteSettings.BATCH_MAX_BYTES) + " or " + delay(settings)
                + "; compression "
                + settings.value(WriteSettings.COMPRESSION_TYPE).name().toLowerCase(Locale.ROOT)
                + "; zone "
                + (settings.zone().equals(Zone.SINGLE)
                        ? "unknown"
                        : settings.zone().name())
                + "; kafka-clients " + KafkaVersion.present() + ".";
    }

    private static String delay(Settings settings) {
        return settings.value(WriteSettings.BATCH_TARGET_LATENCY)
                .map(Duration::toMillis)
                .map(millis -> "as large as a latency of " + millis + " ms allows")
                .orElseGet(() -> settings.value(WriteSettings.BATCH_MAX_DELAY).toMillis() + " ms");
    }
}
