package dev.blobshuffle.core.internal.engine;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.cache.CacheSettings;
import dev.blobshuffle.core.internal.combine.CombineMode;
import dev.blobshuffle.core.internal.combine.CombineSettings;
import dev.blobshuffle.core.internal.combine.CombiningDecision;
import dev.blobshuffle.core.internal.combine.CombiningRule;
import dev.blobshuffle.core.internal.encryption.EncryptionSettings;
import dev.blobshuffle.core.internal.encryption.Keyring;
import dev.blobshuffle.core.internal.membership.PeerSettings;
import dev.blobshuffle.core.internal.settings.Setting;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.store.StoreSettings;
import dev.blobshuffle.core.internal.store.opening.TwoSpeedUri;
import dev.blobshuffle.core.internal.write.options.WriteSettings;
import java.util.Optional;

/** Checks the settings of combining against those of other components. Stateless. */
final class CombiningChecks {
    private CombiningChecks() {}

    /**
     * Refuses a contributor without the cache of the zone, and one that encrypts.
     *
     * @throws InvalidSettingsException fatal: the settings contradict each other
     */
    static void requireUsable(Settings settings) {
        if (settings.value(CombineSettings.ENABLED) != CombineMode.TRUE) {
            return;
        }
        requireZoneCache(settings, CombineSettings.ENABLED);
        if (isEncrypting(settings)) {
            throw new InvalidSettingsException(
                    "Cannot use setting " + CombineSettings.ENABLED + " together with " + EncryptionSettings.KEY_ID
                            + ": an encrypted blob cannot become part of another one. Leave one of them out.");
        }
    }

    private static boolean isEncrypting(Settings settings) {
        return settings.value(EncryptionSettings.KEY_ID)
                .filter(id -> !id.equals(Keyring.WRITE_PLAIN))
                .isPresent();
    }

    /** Why an instance never combines with these settings; empty if it may. */
    static Optional<CombiningDecision> excluded(Settings settings) {
        CombineMode mode = settings.value(CombineSettings.ENABLED);
        if (mode == CombineMode.TRUE) {
            return Optional.empty(); // Otherwise it does not start.
        }
        if (mode == CombineMode.FALSE) {
            return Optional.of(CombiningDecision.DISABLED);
        }
        if (!settings.value(CacheSettings.ZONE_ENABLED)) {
            return Optional.of(CombiningDecision.NO_ZONE_CACHE);
        }
        if (isEncrypting(settings)) {
            return Optional.of(CombiningDecision.ENCRYPTED);
        }
        boolean isShort = settings.value(WriteSettings.BATCH_TARGET_LATENCY)
                .filter(target -> target.compareTo(CombiningRule.LEAST_TARGET) < 0)
                .isPresent();
        if (isShort) {
            return Optional.of(CombiningDecision.SHORT_TARGET);
        }
        boolean isEarly =
                settings.value(StoreSettings.STORE).filter(TwoSpeedUri::isMeant).isPresent();
        return isEarly ? Optional.of(CombiningDecision.TWO_SPEEDS) : Optional.empty();
    }

    private static void requireZoneCache(Settings settings, Setting<?> used) {
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
