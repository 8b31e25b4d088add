package dev.blobshuffle.testkit.internal.simulation;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.stream.LongStream;

/**
 * Looks for the first seed whose schedule breaks a promise: for a mutant ({@code .ci/mutate}).
 * Arguments: {@code interleaved} for the engine or {@code clients} for Kafka's clients over it, the
 * number of seeds, and the first one. Exits with 0 if it found none.
 */
public final class Hunt {
    private static final String CLIENTS = "dev.blobshuffle.kafka.ClientSchedule";

    private Hunt() {}

    /** A simulation of a module that this one does not know. */
    @SuppressWarnings("unchecked") // Its only type.
    private static LongFunction<String[]> named(String type) {
        try {
            return (LongFunction<String[]>)
                    Class.forName(type).getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("Cannot make " + type + ".", e);
        }
    }

    /** Prints the seed and its first violation. */
    public static void main(String[] arguments) {
        LongFunction<String[]> schedule =
                arguments[0].equals("interleaved") ? WovenLoader.simulation() : named(CLIENTS);
        long count = Long.parseLong(arguments[1]);
        long first = arguments.length > 2 ? Long.parseLong(arguments[2]) : 1;
        AtomicLong found = new AtomicLong(Long.MAX_VALUE);
        long chunk = 16;
        for (long from = first; from < first + count && found.get() == Long.MAX_VALUE; from += chunk) {
            LongStream.range(from, Math.min(first + count, from + chunk))
                    .parallel()
                    .forEach(seed -> {
                        String[] violations = schedule.apply(seed);
                        if (violations.length > 0) {
                            found.accumulateAndGet(seed, Math::min);
                            System.out.println("seed " + seed + ": " + violations[0]);
                        }
                    });
        }
        boolean hasFound = found.get() < Long.MAX_VALUE;
        System.out.println(hasFound ? "found by seed " + found.get() : "not found in " + count + " seeds");
        System.exit(hasFound ? 1 : 0);
    }
}
