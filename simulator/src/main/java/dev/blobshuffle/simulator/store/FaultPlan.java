package dev.blobshuffle.simulator.store;

import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.simulator.SimulatedTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Decides the fault of each request to a {@link FaultyBlobStore}. Called by any thread. */
@FunctionalInterface
public interface FaultPlan {
    /** The fault of the next request of a kind. */
    StoreFault next(Request request);

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
    static FaultPlan puts(StoreFault... faults) {
        return scripted(Map.of(Request.PUT, List.of(faults)));
    }

    /** The given faults for gets, one after the other, then none; other requests have none. */
    static FaultPlan gets(StoreFault... faults) {
        return scripted(Map.of(Request.GET, List.of(faults)));
    }

    /** The given faults for each kind of request, one after the other, then none. */
    static FaultPlan scripted(Map<Request, List<StoreFault>> script) {
        Map<Request, Deque<StoreFault>> left = new EnumMap<>(Request.class);
        script.forEach((request, faults) -> left.put(request, new ArrayDeque<>(faults)));
        return request -> {
            synchronized (left) {
                Deque<StoreFault> faults = left.get(request);
                StoreFault fault = faults == null ? null : faults.poll();
                return fault == null ? StoreFault.NONE : fault;
            }
        };
    }

    /**
     * Random faults, each kind equally likely.
     *
     * @param time source of the random numbers; a {@link SimulatedTime} derives them from its seed
     * @param perThousand how many of a thousand requests have a fault
     * @param maxDelay the longest delay of a request and its fault
     * @param kinds the kinds to choose from, 1 or more
     */
    static FaultPlan random(Time time, int perThousand, Duration maxDelay, List<StoreFault.Kind> kinds) {
        List<StoreFault.Kind> choice = List.copyOf(kinds);
        return request -> {
            Duration delay = Duration.ofNanos(Long.remainderUnsigned(time.randomLong(), maxDelay.toNanos() + 1));
            boolean faulty = Long.remainderUnsigned(time.randomLong(), 1000) < perThousand;
            int index = (int) Long.remainderUnsigned(time.randomLong(), choice.size());
            return new StoreFault(faulty ? choice.get(index) : StoreFault.Kind.DELAY, delay);
        };
    }
}
