package dev.blobshuffle.postgresql.internal.connection;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** How a connection is encrypted, and what is checked about the server. The names are libpq's. */
enum SslMode {
    /** No encryption. */
    DISABLE,
    /** Encrypted if the server can. */
    PREFER,
    /** Encrypted; anybody may be the server. */
    REQUIRE,
    /** Encrypted, and an authority vouches for the certificate. */
    VERIFY_CA,
    /** As {@link #VERIFY_CA}, and the certificate is for the host that was asked. */
    VERIFY_FULL;

    /** The mode of a name. */
    static Optional<SslMode> named(String name) {
        return Stream.of(values()).filter(mode -> mode.text().equals(name)).findFirst();
    }

    /** The name, as in a URI. */
    String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether the server's certificate is checked. */
    boolean isVerified() {
        return this == VERIFY_CA || this == VERIFY_FULL;
    }
}
