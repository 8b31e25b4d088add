package dev.blobshuffle.testkit;

import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Decides what goes wrong with each request to a {@link FaultyBlobStore}. Called by any thread. */
@FunctionalInterface
public interface FaultPlan {
    /** What happens to the next request of a kind. */
    Fault next(Request request);

    /** Kinds of requests. */
    enum Request {
        /** A put. */
        PUT,
        /** A get. */
        GET,
        /** A delete. */
        DELETE,
        /** A listing of blobs or generations. */
        LIST
    }

    /** The given faults for puts, one after the other, then none; other requests have none. */
    static FaultPlan puts(Fault... faults) {
        return scripted(Map.of(Request.PUT, List.of(faults)));
    }

    /** The given faults for gets, one after the other, then none; other requests have none. */
    static FaultPlan gets(Fault... faults) {
        return scripted(Map.of(Request.GET, List.of(faults)));
    }

    /** The given faults for each kind of request, one after the other, then none. */
    static FaultPlan scripted(Map<Request, List<Fault>> script) {
        Map<Request, Deque<Fault>> left = new EnumMap<>(Request.class);
        script.forEach((request, faults) -> left.put(request, new ArrayDeque<>(faults)));
        return request -> {
            synchronized (left) {
                Deque<Fault> faults = left.get(request);
                Fault fault = faults == null ? null : faults.poll();
                return fault == null ? Fault.NONE : fault;
            }
        };
    }

    /**
     * Faults by chance, each kind equally likely.
     *
     * @param time gives the chance: a {@link SimulatedTime} makes them follow from its seed
     * @param perThousand how many of a thousand requests have a fault
     * @param maxDelay requests, and their faults, are late by up to this
     * @param kinds the kinds to choose from, 1 or more
     */
    static FaultPlan random(Time time, int perThousand, Duration maxDelay, List<Fault.Kind> kinds) {
        List<Fault.Kind> choice = List.copyOf(kinds);
        return request -> {
            Duration delay = Duration.ofNanos(Long.remainderUnsigned(time.randomLong(), maxDelay.toNanos() + 1));
            boolean faulty = Long.remainderUnsigned(time.randomLong(), 1000) < perThousand;
            int index = (int) Long.remainderUnsigned(time.randomLong(), choice.size());
            return new Fault(faulty ? choice.get(index) : Fault.Kind.DELAY, delay);
        };
    }
}
