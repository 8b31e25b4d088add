package dev.blobshuffle.kafkaembedded;

import org.apache.kafka.common.utils.Exit;

/**
 * Kafka's way out of the JVM, closed: a broker that finds a fatal fault ends its process, which is
 * right for a process of its own and would silently end all tests of this one. Thread-safe.
 */
final class JvmExits {
    private JvmExits() {}

    /**
     * Makes the exits of every broker in this JVM exceptions in the thread that found the fault,
     * from now on.
     */
    static void forbid() {
        Exit.setExitProcedure(JvmExits::refuse);
        Exit.setHaltProcedure(JvmExits::refuse);
    }

    private static void refuse(int status, String message) {
        throw new IllegalStateException(
                "Cannot go on with a Kafka node: it found a fatal fault and asked to end the JVM, " + "status " + status
                        + ", " + message + ". See the fault in Kafka's log.");
    }
}
