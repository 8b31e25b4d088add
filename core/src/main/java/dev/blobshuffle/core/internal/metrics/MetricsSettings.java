package dev.blobshuffle.core.internal.metrics;

import dev.blobshuffle.core.internal.settings.Setting;
import dev.blobshuffle.core.internal.settings.SettingGroup;
import java.util.List;
import java.util.Optional;

/** Where metrics are shown. */
public final class MetricsSettings implements SettingGroup {
    /** Where metrics are shown. */
    public static final Setting<Optional<String>> LISTEN = Setting.text(
            "metrics.listen",
            "none",
            "Address, `host:port`, on which the process serves its metrics to Prometheus at `/metrics`. "
                    + "Port 0 selects a free port. The endpoint has no authentication.");

    @Override
    public String title() {
        return "Metrics";
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(LISTEN);
    }
}
