package dev.blobshuffle.cli.messaging;

import dev.blobshuffle.cli.option.StoreOption;
import dev.blobshuffle.core.internal.store.StoreSettings;
import dev.blobshuffle.messaging.Messaging;
import dev.blobshuffle.messaging.internal.MessagingSettings;
import java.io.PrintWriter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Mixin;

/**
 * Options that select the log and the store of a command that publishes or reads records. Filled by
 * the command line; owned by the command.
 */
public final class MessagingOptions {
    /**
     * The application settings that the command adopts. It does not adopt ports, the position in
     * the zone, caches and sweeps.
     */
    private static final List<String> TAKEN = List.of(
            "blobshuffle.store",
            "blobshuffle.zone",
            "blobshuffle.batch.",
            "blobshuffle.inline.",
            "blobshuffle.compression.",
            "blobshuffle.encryption.",
            "blobshuffle.delivery.",
            "blobshuffle.write.buffer.",
            "blobshuffle.read.buffer.");

    @Mixin
    private LogOptions options;

    @Mixin
    private StoreOption storeOption;

    /** Created by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public MessagingOptions() {}

    /** The action of a command. */
    interface MessagingAction {
        /** Runs the action and returns the exit status. */
        int run(Messaging messaging, PrintWriter out) throws InterruptedException;
    }

    LogOptions log() {
        return options;
    }

    /**
     * Runs an action with an instance, and closes the instance.
     *
     * @param what completes "Cannot …" for failures whose message lacks it
     */
    int withMessaging(String what, MessagingAction action) {
        return options.run(what, out -> {
            try (Messaging messaging = Messaging.open(settings())) {
                return action.run(messaging, out);
            }
        });
    }

    private Map<String, Object> settings() {
        Map<String, Object> settings = new HashMap<>();
        options.config().values().forEach((name, value) -> {
            if (TAKEN.stream().anyMatch(name::startsWith)) {
                settings.put(name, value);
            }
        });
        settings.put(StoreSettings.STORE.name(), storeOption.uri(options.config()));
        settings.put(MessagingSettings.LOG.name(), options.uri());
        settings.put(MessagingSettings.INSTANCE_NAME.name(), "blobshuffle-tools");
        return settings;
    }
}
