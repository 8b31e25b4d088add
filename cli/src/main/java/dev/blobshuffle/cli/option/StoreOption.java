package dev.blobshuffle.cli.option;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.store.StoreSettings;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that names the store. Filled by the command line; owned by the command. */
public final class StoreOption {
    @Option(
            names = "--store",
            paramLabel = "URI",
            description = "The store, as in blobshuffle.store (default: from --config or --profile).")
    private @Nullable String uri;

    /** Created by the command line. */
    public StoreOption() {}

    /**
     * The URI of the store, if the user specified one.
     *
     * @param config names it if the option does not
     */
    public Optional<String> named(ConfigOptions config) {
        return Optional.ofNullable(uri).or(() -> config.value(StoreSettings.STORE.name()));
    }

    /**
     * The URI of the store.
     *
     * @param config names it if the option does not
     * @throws InvalidSettingsException fatal: no option or setting specifies a store
     */
    public String uri(ConfigOptions config) {
        return named(config)
                .orElseThrow(() ->
                        new InvalidSettingsException("Cannot find the store: none is named. Give --store, or --config"
                                + " or --profile with " + StoreSettings.STORE.name() + "."));
    }
}
