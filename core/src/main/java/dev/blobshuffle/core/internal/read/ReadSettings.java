package dev.blobshuffle.core.internal.read;

import dev.blobshuffle.core.internal.settings.Setting;
import dev.blobshuffle.core.internal.settings.SettingGroup;
import dev.blobshuffle.core.settings.ByteSize;
import java.util.List;

/** The settings of the read side. */
public final class ReadSettings implements SettingGroup {
    /** Read budget. */
    public static final Setting<ByteSize> READ_BUFFER_BYTES = Setting.size(
            "read.buffer.bytes",
            new ByteSize(64 << 10),
            ByteSize.ofMebibytes(64),
            "Memory of an instance for bytes that it fetches or has fetched and has not yet returned to "
                    + "the consumer.");

    @Override
    public String title() {
        return "Reading";
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(READ_BUFFER_BYTES);
    }
}
