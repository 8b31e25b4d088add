package dev.blobshuffle.springbootstarter;

import dev.blobshuffle.core.internal.instance.RunningInstance;
import dev.blobshuffle.core.internal.instance.RunningInstances;
import dev.blobshuffle.core.internal.metrics.Answers.LastFailure;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The health of the process's instances, from the results of their own requests. It sends no
 * requests: those would cost money and need permissions that an instance may lack.
 *
 * @param level the worst of all instances
 * @param details by instance, for operators; without settings and credentials
 */
record ShuffleHealth(Level level, Map<String, Object> details) {
    /** The duration of failures that do not affect the health. A retry ends shorter failures. */
    private static final Duration TOLERATED = Duration.ofSeconds(10);

    /** Levels with the names of Spring's states. */
    enum Level {
        UP,
        /** A store or a commit log does not answer, or an application runs natively. */
        DOWN,
        /** No instance is open. */
        UNKNOWN
    }

    /** @param natives finds applications that run natively; null without Kafka Streams */
    static ShuffleHealth now(@Nullable NativeRunCheck natives) {
        return of(RunningInstances.all(), natives == null ? List.of() : natives.natives());
    }

    static ShuffleHealth of(List<RunningInstance> instances, List<String> natives) {
        Map<String, Object> details = new LinkedHashMap<>();
        boolean isDown = !natives.isEmpty();
        for (RunningInstance instance : instances) {
            boolean isReachable = isReachable(instance.shown().metrics());
            isDown |= !isReachable || !isLogReachable(instance);
            details.put(name(instance), details(instance, isReachable));
        }
        if (!natives.isEmpty()) {
            details.put("runningNatively", natives);
        }
        return new ShuffleHealth(isDown ? Level.DOWN : instances.isEmpty() ? Level.UNKNOWN : Level.UP, details);
    }

    private static String name(RunningInstance instance) {
        Map<String, String> labels = instance.shown().labels();
        return labels.getOrDefault("application", instance.log().isPresent() ? "messaging" : "clients") + "-"
                + labels.getOrDefault("engine", "0");
    }

    private static boolean isReachable(ShuffleMetrics metrics) {
        boolean isLasting = metrics.lastFailure()
                .flatMap(LastFailure::lasting)
                .filter(lasting -> lasting.compareTo(TOLERATED) > 0)
                .isPresent();
        return !isLasting && metrics.value(Gauge.STORE_CIRCUITS_OPEN) == 0;
    }

    private static boolean isLogReachable(RunningInstance instance) {
        return instance.log()
                .filter(log -> log.answers().unanswered().compareTo(TOLERATED) > 0)
                .isEmpty();
    }

    private static Map<String, Object> details(RunningInstance instance, boolean isReachable) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("store", instance.store().location());
        details.put("storeReachable", isReachable);
        Optional.ofNullable(instance.shown().labels().get("zone")).ifPresent(zone -> details.put("zone", zone));
        details.put("membershipConnected", instance.membership().isConnected());
        details.put("members", instance.membership().members().size());
        instance.shown().metrics().lastFailure().ifPresent(failure -> {
            details.put("lastFailure", failure.message());
            details.put("lastFailureAgeSeconds", failure.age().toSeconds());
        });
        instance.log().ifPresent(log -> {
            details.put("log", log.location());
            details.put("logReachable", isLogReachable(instance));
            log.answers().lastFailure().ifPresent(failure -> {
                details.put("lastLogFailure", failure.message());
                details.put("lastLogFailureAgeSeconds", failure.age().toSeconds());
            });
        });
        return details;
    }
}
