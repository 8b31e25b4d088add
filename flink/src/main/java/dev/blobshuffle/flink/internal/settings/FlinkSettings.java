package dev.blobshuffle.flink.internal.settings;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.encryption.EncryptionSettings;
import dev.blobshuffle.core.internal.read.ReadSettings;
import dev.blobshuffle.core.internal.retention.RetentionSettings;
import dev.blobshuffle.core.internal.settings.Setting;
import dev.blobshuffle.core.internal.settings.SettingGroup;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.store.StoreSettings;
import dev.blobshuffle.core.internal.write.options.WriteSettings;
import dev.blobshuffle.core.settings.ByteSize;
import java.util.List;
import java.util.Map;

/**
 * The settings of shuffles in Flink: in Flink's configuration, or in the options of one shuffle.
 * Stateless.
 */
public final class FlinkSettings implements SettingGroup {
    /** How much may be announced to a subtask that it has not handed out. */
    public static final Setting<ByteSize> PENDING_MAX_BYTES = Setting.size(
            "pending.max.bytes",
            new ByteSize(1),
            ByteSize.ofMebibytes(64),
            "A subtask behind a shuffle takes no further references while records of this size are announced to it"
                    + " and not handed out. Backpressure then reaches the subtasks before the shuffle.");

    /** Whether records go through blobs only if they leave the sender's zone. */
    public static final Setting<Boolean> NATIVE_IN_ZONE = Setting.flag(
            "native.in.zone",
            true,
            "Records for a subtask in the sender's zone, or in its TaskManager, go through Flink's network. If"
                    + " `false`, all records go through blobs.");

    /** Whether a checkpoint waits for puts after its barrier. */
    public static final Setting<Boolean> PUT_AFTER_BARRIER = Setting.flag(
            "put.after.barrier",
            false,
            "A checkpoint waits for the puts of earlier records while its tasks go on. If `false`, each task before a"
                    + " shuffle waits for them at the barrier. With `true`, restoring a checkpoint at another"
                    + " parallelism may change the order of a key's records that were on the way.");

    private static final List<SettingGroup> GROUPS = List.of(
            new StoreSettings(),
            new WriteSettings(),
            new EncryptionSettings(),
            new ReadSettings(),
            new RetentionSettings(),
            new FlinkSettings());

    @Override
    public String title() {
        return "Flink";
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(PENDING_MAX_BYTES, NATIVE_IN_ZONE, PUT_AFTER_BARRIER);
    }

    /**
     * The settings of a shuffle, checked.
     *
     * @param given by their names; other names than ours are ignored
     * @throws InvalidSettingsException fatal: no store is named, a name is unknown, or a value is
     *     not of its form
     */
    public static Settings parse(Map<String, String> given) {
        Settings settings = Settings.parse(given, GROUPS, Map.of());
        String ignored = StoreSettings.uri(settings);
        return settings;
    }
}
