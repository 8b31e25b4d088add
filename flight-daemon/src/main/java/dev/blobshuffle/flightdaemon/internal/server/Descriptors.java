package dev.blobshuffle.flightdaemon.internal.server;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.lang.management.ManagementFactory;
import java.util.OptionalLong;

/** Checks the limit of the process's file descriptors. Stateless. */
public final class Descriptors {
    /** Descriptors reserved for blobs, directories, stores of copies and the JVM. */
    static final int RESERVE = 512;

    private Descriptors() {}

    /** The process's limit of descriptors; empty if the system does not report it. */
    static OptionalLong most() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? OptionalLong.of(unix.getMaxFileDescriptorCount())
                : OptionalLong.empty();
    }

    /**
     * Requires that connections cannot use up all descriptors.
     *
     * @param connections of all kinds
     * @throws InvalidSettingsException fatal: they can
     */
    public static void check(long connections, OptionalLong most) {
        if (connections + RESERVE > most.orElse(Long.MAX_VALUE)) {
            throw new InvalidSettingsException("Cannot serve " + connections + " connections: the process may have "
                    + most.getAsLong() + " file descriptors, and " + RESERVE
                    + " are for files. Raise the limit (ulimit -n), or give fewer --connections.");
        }
    }
}
