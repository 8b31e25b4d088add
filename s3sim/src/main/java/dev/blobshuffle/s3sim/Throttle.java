package dev.blobshuffle.s3sim;

import dev.blobshuffle.core.time.Time;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Token buckets, two per prefix. Guarded by itself. */
final class Throttle {
    /**
     * The most prefixes. Beyond it, the least recently used are dropped, which makes them full
     * again.
     */
    private static final int MAX_PREFIXES = 10_000;

    private static final double NANOS_PER_SECOND = 1e9;

    private final Time time;
    private final Map<String, Tokens> tokens = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Tokens> eldest) {
            return size() > MAX_PREFIXES;
        }
    };
    private Optional<ThrottleLimit> limit;

    Throttle(Optional<ThrottleLimit> limit, Time time) {
        this.limit = limit;
        this.time = time;
    }

    synchronized void limit(Optional<ThrottleLimit> newLimit) {
        limit = newLimit;
        tokens.clear();
    }

    /** Takes a token; returns false if there is none. */
    synchronized boolean admits(String bucket, String key, boolean isWrite) {
        if (limit.isEmpty()) {
            return true;
        }
        ThrottleLimit most = limit.get();
        double rate = isWrite ? most.writesPerSecond() : most.readsPerSecond();
        long now = time.nanos();
        return tokens.computeIfAbsent(
                        bucket + (isWrite ? "/w/" : "/r/") + most.prefix(key),
                        name -> new Tokens(Math.max(1, rate), now))
                .take(rate, now);
    }

    /** Guarded by the throttle. */
    private static final class Tokens {
        private double left;
        private long at;

        Tokens(double left, long at) {
            this.left = left;
            this.at = at;
        }

        boolean take(double rate, long now) {
            left = Math.min(Math.max(1, rate), left + (now - at) / NANOS_PER_SECOND * rate);
            at = now;
            if (left < 1) {
                return false;
            }
            left -= 1;
            return true;
        }
    }
}
