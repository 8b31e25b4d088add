package dev.blobshuffle.core.internal.version;

import java.util.Optional;

/**
 * Checks that the two parts of Apache's HTTP client fit together. Since 5.6 the client needs a core
 * of 5.4, but build tools choose their versions separately. Stateless.
 */
public final class HttpPair {
    /** The jar of the client, without its version. */
    public static final String CLIENT = "httpclient5";

    /** The remedy for a problem. */
    public static final String REMEDY =
            "Set org.apache.httpcomponents.core5:httpcore5 and httpcore5-h2 to the version that your httpclient5 depends on";

    private HttpPair() {}

    /** Describes the conflict of two versions; empty if they fit. */
    public static Optional<String> problem(String client, String core) {
        String oldest = Supported.isOlder(client, "5.6") ? "5.3" : "5.4";
        return !Supported.isOlder(core, oldest)
                ? Optional.empty()
                : Optional.of("httpcore5 " + core + " is too old for httpclient5 " + client);
    }
}
