package dev.blobshuffle.core.internal.engine;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.cache.CacheSettings;
import dev.blobshuffle.core.internal.combine.CombineSettings;
import dev.blobshuffle.core.internal.encryption.EncryptionSettings;
import dev.blobshuffle.core.internal.encryption.Keyring;
import dev.blobshuffle.core.internal.membership.PeerSettings;
import dev.blobshuffle.core.internal.settings.Setting;
import dev.blobshuffle.core.internal.settings.Settings;

/** Checks the settings of combining against those of other components. Stateless. */
final class CombiningChecks {
    private CombiningChecks() {}

    /**
     * Refuses a contributor without the cache of the zone, and one that encrypts.
     *
     * @throws InvalidSettingsException fatal: the settings contradict each other
     */
    static void requireUsable(Settings settings) {
        if (!settings.value(CombineSettings.ENABLED)) {
            return;
        }
        requireZoneCache(settings, CombineSettings.ENABLED);
        boolean isEncrypting = settings.value(EncryptionSettings.KEY_ID)
                .filter(id -> !id.equals(Keyring.WRITE_PLAIN))
                .isPresent();
        if (isEncrypting) {
            throw new InvalidSettingsException(
                    "Cannot use setting " + CombineSettings.ENABLED + " together with " + EncryptionSettings.KEY_ID
                            + ": an encrypted blob cannot become part of another one. Leave one of them out.");
        }
    }

    private static void requireZoneCache(Settings settings, Setting<Boolean> used) {
        if (!settings.value(CacheSettings.ZONE_ENABLED)) {
            throw new InvalidSettingsException("Cannot use setting " + used + ": without " + CacheSettings.ZONE_ENABLED
                    + "=true each reader of a zone would read a combined blob by itself. Set both, or neither.");
        }
    }

    /**
     * Refuses an instance that is set to be a hub and cannot be one. Standalone caches do not have
     * the settings of an instance.
     *
     * @throws InvalidSettingsException fatal: a setting is missing
     */
    static void requireInstanceServes(Settings settings) {
        if (settings.value(CombineSettings.SERVE)) {
            requireZoneCache(settings, CombineSettings.SERVE);
            if (settings.value(PeerSettings.LISTEN).isEmpty()) {
                throw new InvalidSettingsException("Cannot use setting " + CombineSettings.SERVE
                        + ": a hub answers other instances. Set " + PeerSettings.LISTEN + ", too.");
            }
        }
    }
}
