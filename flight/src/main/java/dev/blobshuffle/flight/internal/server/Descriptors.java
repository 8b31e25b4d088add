package dev.blobshuffle.flight.internal.server;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.blobshuffle.core.failure.InvalidSettings;
import java.lang.management.ManagementFactory;
import java.util.OptionalLong;

/** The file descriptors of this process. Stateless. */
final class Descriptors {
    /** For blobs, directories, stores of copies and the JVM. */
    static final int RESERVE = 512;

    private Descriptors() {}

    /** How many the process may have; empty if the system does not say. */
    static OptionalLong most() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? OptionalLong.of(unix.getMaxFileDescriptorCount())
                : OptionalLong.empty();
    }

    /**
     * Requires that connections cannot take all.
     *
     * @param connections of all kinds
     * @throws InvalidSettings fatal: they can
     */
    static void check(long connections, OptionalLong most) {
        if (connections + RESERVE > most.orElse(Long.MAX_VALUE)) {
            throw new InvalidSettings("Cannot serve " + connections + " connections: the process may have "
                    + most.getAsLong() + " file descriptors, and " + RESERVE
                    + " are for files. Raise the limit (ulimit -n), or give fewer --connections.");
        }
    }
}
