package dev.blobshuffle.postgresql.internal.schema;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A use of the log by a role. The comment of each function for clients names its use, or allows all
 * uses.
 */
public enum ClientUse {
    /** Publishes, through the outbox too. */
    PUBLISH,
    /** Reads as a member of groups, and commits their positions. */
    SUBSCRIBE,
    /**
     * Creates, changes and deletes topics; seeks and deletes groups; removes batches and blobs that
     * are no longer needed. An instance with this use sweeps.
     */
    ADMINISTER;

    /** All uses: for the role of an application that does everything itself. */
    public static Set<ClientUse> all() {
        return EnumSet.allOf(ClientUse.class);
    }

    /**
     * Parses names that are separated by commas.
     *
     * @throws InvalidSettingsException a name is unknown, or there is none
     */
    public static Set<ClientUse> parse(String names) {
        Set<ClientUse> uses = EnumSet.noneOf(ClientUse.class);
        for (String name : names.split(",", -1)) {
            uses.add(Arrays.stream(values())
                    .filter(use -> use.text().equals(name.trim()))
                    .findFirst()
                    .orElseThrow(() -> new InvalidSettingsException("Cannot grant '" + name.trim()
                            + "': there is no such use of a log. Give some of publish, subscribe and administer,"
                            + " separated by commas.")));
        }
        return uses;
    }

    /** The name in the schema and on the command line. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Several uses as part of a sentence. */
    public static String sentence(Set<ClientUse> uses) {
        return uses.stream().sorted().map(ClientUse::text).collect(Collectors.joining(", "));
    }
}
