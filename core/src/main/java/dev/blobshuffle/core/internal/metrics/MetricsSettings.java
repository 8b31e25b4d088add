package dev.blobshuffle.core.internal.metrics;

import dev.blobshuffle.core.internal.settings.Setting;
import dev.blobshuffle.core.internal.settings.SettingGroup;
import dev.blobshuffle.core.internal.settings.Settings;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The address of the metrics endpoint. */
public final class MetricsSettings implements SettingGroup {
    /** The address of the metrics endpoint. */
    public static final Setting<Optional<String>> LISTEN = Setting.text(
            "metrics.listen",
            "none",
            "Address, `host:port`, on which the process serves its metrics to Prometheus at `/metrics`. "
                    + "Port 0 selects a free port. The endpoint has no authentication.");

    /**
     * The address in an application's configuration, for parts that need no other setting.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: the value is null
     */
    public static Optional<String> listen(Map<String, ?> configuration) {
        Map<String, Object> own = new HashMap<>(configuration);
        own.keySet().retainAll(List.of(LISTEN.name()));
        return Settings.parse(own, List.of(new MetricsSettings()), Map.of()).value(LISTEN);
    }

    @Override
    public String title() {
        return "Metrics";
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(LISTEN);
    }
}
