package dev.blobshuffle.s3sim;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** Decides what goes wrong with each request to {@link S3Sim}. Called by any thread. */
@FunctionalInterface
public interface WireFaultPlan {
    /** What happens to the next request. */
    WireFault next(WireRequest request);

    /** Nothing goes wrong. */
    static WireFaultPlan none() {
        return request -> WireFault.NONE;
    }

    /** The same for every request. */
    static WireFaultPlan always(WireFault fault) {
        return request -> fault;
    }

    /** The same for every request of some operations; the others are well. */
    static WireFaultPlan on(Set<Operation> operations, WireFault fault) {
        Set<Operation> chosen = Set.copyOf(operations);
        return request -> chosen.contains(request.operation()) ? fault : WireFault.NONE;
    }

    /**
     * The given faults for requests of an operation, one after the other, then none; other requests
     * are well.
     */
    static WireFaultPlan scripted(Operation operation, WireFault... faults) {
        Deque<WireFault> left = new ArrayDeque<>(List.of(faults));
        return request -> {
            if (request.operation() != operation) {
                return WireFault.NONE;
            }
            synchronized (left) {
                WireFault fault = left.poll();
                return fault == null ? WireFault.NONE : fault;
            }
        };
    }

    /** A store that can be read only: everything that writes is denied. */
    static WireFaultPlan readOnly() {
        return request -> request.operation().isWrite() ? WireFault.error(S3Error.ACCESS_DENIED) : WireFault.NONE;
    }

    /**
     * Faults by chance, each as likely as the others.
     *
     * @param perThousand how many of a thousand requests have one
     * @param faults to choose from, 1 or more
     */
    static WireFaultPlan random(long seed, int perThousand, List<WireFault> faults) {
        List<WireFault> choice = List.copyOf(faults);
        SplittableRandom random = new SplittableRandom(seed);
        return request -> {
            synchronized (random) {
                boolean isFaulty = random.nextInt(1000) < perThousand;
                WireFault fault = choice.get(random.nextInt(choice.size()));
                return isFaulty ? fault : WireFault.NONE;
            }
        };
    }

    /** This plan, and where it does nothing another one. */
    default WireFaultPlan or(WireFaultPlan other) {
        return request -> {
            WireFault fault = next(request);
            return fault.equals(WireFault.NONE) ? other.next(request) : fault;
        };
    }
}
