package dev.blobshuffle.kafkaembedded;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.List;

/**
 * Kafka's way out of the JVM, closed: a broker that finds a fatal fault ends its process, which is
 * right for a process of its own and would silently end all tests of this one. Kafka 4.4 moved the
 * class to another package, so it is found by name. Thread-safe.
 */
final class JvmExits {
    private static final List<String> NAMES =
            List.of("org.apache.kafka.common.utils.internals.Exit", "org.apache.kafka.common.utils.Exit");

    private JvmExits() {}

    /**
     * Makes the exits of every broker in this JVM exceptions in the thread that found the fault,
     * from now on.
     *
     * @throws IllegalStateException if this version of Kafka ends the JVM in another way
     */
    static void forbid() {
        Class<?> exit = exits();
        close(exit, "setExitProcedure");
        close(exit, "setHaltProcedure");
    }

    /** Kafka's class with the exits. */
    static Class<?> exits() {
        return NAMES.stream()
                .flatMap(name -> find(name).stream())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("Cannot start Kafka nodes: the kafka-clients on the class"
                        + " path have none of " + NAMES + ". Use a version between 3.9 and 4.4."));
    }

    private static List<Class<?>> find(String name) {
        try {
            return List.of(Class.forName(name));
        } catch (ClassNotFoundException e) {
            return List.of();
        }
    }

    private static void close(Class<?> exit, String setter) {
        InvocationHandler refusal = (proxy, method, arguments) -> {
            if (method.getDeclaringClass() == Object.class) {
                return method.invoke(setter, arguments);
            }
            throw refused((Integer) arguments[0], (String) arguments[1]);
        };
        try {
            Class<?> procedure = Class.forName(exit.getName() + "$Procedure", false, exit.getClassLoader());
            Object closed = Proxy.newProxyInstance(exit.getClassLoader(), new Class<?>[] {procedure}, refusal);
            exit.getMethod(setter, procedure).invoke(null, closed);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("Cannot start Kafka nodes: " + exit + " has no " + setter + ".", e);
        }
    }

    private static IllegalStateException refused(int status, String message) {
        return new IllegalStateException(
                "Cannot go on with a Kafka node: it found a fatal fault and asked to end the JVM, status " + status
                        + ", " + message + ". See the fault in Kafka's log.");
    }
}
