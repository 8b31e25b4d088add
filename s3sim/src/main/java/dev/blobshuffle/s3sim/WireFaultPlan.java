package dev.blobshuffle.s3sim;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** Selects the fault of each request to {@link S3Sim}. Called by any thread. */
@FunctionalInterface
public interface WireFaultPlan {
    /** The fault of the next request. */
    WireFault next(WireRequest request);

    /** A plan without faults. */
    static WireFaultPlan none() {
        return request -> WireFault.NONE;
    }

    /** The same fault for every request. */
    static WireFaultPlan always(WireFault fault) {
        return request -> fault;
    }

    /** The same fault for every request of some operations; no fault for others. */
    static WireFaultPlan on(Set<Operation> operations, WireFault fault) {
        Set<Operation> chosen = Set.copyOf(operations);
        return request -> chosen.contains(request.operation()) ? fault : WireFault.NONE;
    }

    /**
     * The given faults, in order, for the requests of an operation; then none. Other requests have
     * no fault.
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

    /** A read-only store: all writes are denied. */
    static WireFaultPlan readOnly() {
        return request -> request.operation().isWrite() ? WireFault.error(S3Error.ACCESS_DENIED) : WireFault.NONE;
    }

    /**
     * Random faults with equal probability.
     *
     * @param perThousand number of faults per thousand requests
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

    /** This plan, and another plan for requests without a fault in this one. */
    default WireFaultPlan or(WireFaultPlan other) {
        return request -> {
            WireFault fault = next(request);
            return fault.equals(WireFault.NONE) ? other.next(request) : fault;
        };
    }
}
