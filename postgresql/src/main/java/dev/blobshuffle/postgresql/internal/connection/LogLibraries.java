package dev.blobshuffle.postgresql.internal.connection;

import com.zaxxer.hikari.HikariConfig;
import dev.blobshuffle.core.internal.version.Versions;
import java.util.Optional;
import org.postgresql.util.DriverInfo;

/**
 * Checks the versions of the JDBC driver and of the connection pool on the class path. Frameworks
 * such as Spring Boot choose them, so they may be older than the log's own. Stateless.
 */
final class LogLibraries {
    private static final String WHAT = "open the log";
    private static final String DRIVER = "org.postgresql:postgresql";
    private static final String POOL = "com.zaxxer:HikariCP";

    private LogLibraries() {}

    /**
     * Rejects versions that are too old.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: the message names both
     *     versions and the remedy
     */
    static void requireSupported() {
        requireSupported(driver(), Versions.present(POOL, HikariConfig.class.getClassLoader()));
    }

    /** The same for versions that are known; empty if one is not. */
    static void requireSupported(Optional<String> driver, Optional<String> pool) {
        Versions.require(WHAT, DRIVER, driver);
        Versions.require(WHAT, POOL, pool);
    }

    /**
     * The driver's own version constant. Reflection reads it, because the compiler would copy the
     * constant of the driver that it compiles against.
     */
    static Optional<String> driver() {
        try {
            return Optional.of(
                    (String) DriverInfo.class.getField("DRIVER_VERSION").get(null));
        } catch (ReflectiveOperationException e) {
            return Optional.empty();
        }
    }
}
