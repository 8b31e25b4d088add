package dev.blobshuffle.core.internal.combine;

import dev.blobshuffle.core.internal.settings.Setting;
import dev.blobshuffle.core.internal.settings.SettingGroup;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.settings.ByteSize;
import java.util.List;

/** The settings of combining. */
public final class CombineSettings implements SettingGroup {
    /** Whether to hand small blobs to a hub. */
    public static final Setting<CombineMode> ENABLED = Setting.choice(
            "combine.enabled",
            CombineMode.FALSE,
            "Whether an instance hands small blobs to a hub of its zone, which stores those of several "
                    + "instances as one. `true` requires `cache.zone.enabled`, and excludes encryption. With "
                    + "`auto` an instance combines while it pays, and logs why or why not.");

    /** Size from which a blob is stored by itself. */
    public static final Setting<ByteSize> MAX_PART = Setting.size(
            "combine.max.part",
            new ByteSize(1024),
            ByteSize.ofMebibytes(4),
            "Blobs of this size or more are stored by their own instance. At most `batch.max.bytes` counts.");

    /** Memory of a hub. */
    public static final Setting<ByteSize> BUFFER_BYTES = Setting.size(
            "combine.buffer.bytes",
            new ByteSize(1024),
            ByteSize.ofMebibytes(64),
            "Memory of a hub for the blobs of other instances. Beyond it, the hub refuses blobs, and "
                    + "their instances store them. At least `combine.max.part`.");

    /** Whether to be a hub. */
    public static final Setting<Boolean> SERVE = Setting.flag(
            "combine.serve",
            false,
            "Whether this instance is a hub for the instances of its zone. Requires `peer.listen`. "
                    + "`blobshuffle cache --combine` is a hub, too.");

    @Override
    public String title() {
        return "Combining";
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(ENABLED, MAX_PART, BUFFER_BYTES, SERVE);
    }

    @Override
    public void check(Settings settings) {
        ByteSize part = settings.value(MAX_PART);
        ByteSize buffer = settings.value(BUFFER_BYTES);
        if (part.compareTo(buffer) > 0) {
            throw Settings.contradiction(
                    MAX_PART, part, BUFFER_BYTES, buffer, "A hub needs room for one blob at least: raise the buffer.");
        }
    }

    /** Whether the settings make an instance a contributor or a hub. */
    public static boolean isUsed(Settings settings) {
        return settings.value(ENABLED) != CombineMode.FALSE || settings.value(SERVE);
    }
}
