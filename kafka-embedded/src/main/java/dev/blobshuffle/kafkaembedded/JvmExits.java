package dev.blobshuffle.kafkaembedded;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.List;

/**
 * Prevents brokers from exiting the JVM. A broker that finds a fatal fault exits its process. This
 * is right for a separate process, but in this JVM it would silently end all tests. Kafka 4.4 moved
 * the class with the exits to another package, so it is found by name. Thread-safe.
 */
final class JvmExits {
    private static final List<String> NAMES =
            List.of("org.apache.kafka.common.utils.internals.Exit", "org.apache.kafka.common.utils.Exit");

    private JvmExits() {}

    /**
     * From now on, turns the exits of every broker in this JVM into exceptions in the thread that
     * found the fault.
     *
     * @throws IllegalStateException if this version of Kafka ends the JVM in another way
     */
    static void forbid() {
        Class<?> exit = exits();
        close(exit, "setExitProcedure");
        close(exit, "setHaltProcedure");
    }

    /** The class of Kafka with the exits. */
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
