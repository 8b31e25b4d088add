package dev.blobshuffle.postgresql.internal.connection;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The encryption of a connection, and the checks of the server's certificate. The names are
 * libpq's.
 */
enum SslMode {
    /** No encryption. */
    DISABLE,
    /** Encrypted if the server supports it. */
    PREFER,
    /** Encrypted; the server is not authenticated. */
    REQUIRE,
    /** Encrypted, and a trusted authority has signed the certificate. */
    VERIFY_CA,
    /** As {@link #VERIFY_CA}, and the certificate is for the requested host. */
    VERIFY_FULL;

    /** Finds a mode by its name. */
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
