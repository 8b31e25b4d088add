package dev.blobshuffle.core.internal.engine;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.cache.CacheSettings;
import dev.blobshuffle.core.internal.combine.CombineSettings;
import dev.blobshuffle.core.internal.encryption.EncryptionSettings;
import dev.blobshuffle.core.internal.membership.PeerSettings;
import dev.blobshuffle.core.internal.metrics.MetricsSettings;
import dev.blobshuffle.core.internal.read.ReadSettings;
import dev.blobshuffle.core.internal.retention.RetentionSettings;
import dev.blobshuffle.core.internal.settings.Setting;
import dev.blobshuffle.core.internal.settings.SettingGroup;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.settings.ZoneSettings;
import dev.blobshuffle.core.internal.store.StoreSettings;
import dev.blobshuffle.core.internal.write.options.WriteSettings;
import dev.blobshuffle.core.settings.ByteSize;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The settings of all components of an instance, and the checks across components. Front doors add
 * their own groups to {@link #GROUPS}.
 */
public final class EngineSettings implements SettingGroup {
    /** The groups of the components, in the order of the reference. */
    public static final List<SettingGroup> GROUPS = List.of(
            new StoreSettings(),
            new ZoneSettings(),
            new WriteSettings(),
            new EncryptionSettings(),
            new ReadSettings(),
            new CacheSettings(),
            new PeerSettings(),
            new CombineSettings(),
            new RetentionSettings(),
            new MetricsSettings(),
            new EngineSettings());

    private EngineSettings() {}

    /**
     * Reads the settings of an instance without a front door.
     *
     * @throws InvalidSettingsException fatal: a key under the prefix is unknown, a value is
     *     malformed, or values contradict each other
     */
    public static Settings parse(Map<String, ?> configuration) {
        return Settings.parse(configuration, GROUPS);
    }

    @Override
    public String title() {
        return "";
    }

    /** Empty, because this group only checks the settings of several components together. */
    @Override
    public List<Setting<?>> settings() {
        return List.of();
    }

    @Override
    public void check(Settings settings) {
        CombiningChecks.requireUsable(settings);
        Duration timeout = settings.value(WriteSettings.DELIVERY_TIMEOUT);
        settings.value(RetentionSettings.SWEEP_INTERVAL).ifPresent(interval -> {
            if (timeout.plus(RetentionSettings.LEAST_GRACE).compareTo(interval) > 0) {
                throw Settings.contradiction(
                        WriteSettings.DELIVERY_TIMEOUT,
                        timeout.toMillis(),
                        RetentionSettings.SWEEP_INTERVAL,
                        interval.toMillis(),
                        "A blob would be deleted before its notification is sent: give the interval 15 minutes more than the timeout.");
            }
        });
        ByteSize batch = settings.value(WriteSettings.BATCH_MAX_BYTES);
        ByteSize memory = CacheSettings.memory(settings);
        if (CacheSettings.isUsed(settings) && batch.bytes() > memory.bytes() / 2) {
            throw Settings.contradiction(
                    WriteSettings.BATCH_MAX_BYTES,
                    batch,
                    CacheSettings.MEMORY_BYTES,
                    memory,
                    "What is cached passes through memory whole, so give the cache at least twice as much.");
        }
    }
}
