package dev.blobshuffle.testkit;

import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.resilience.ResilienceOptions;
import dev.blobshuffle.core.internal.resilience.StoreRetryPolicy;
import dev.blobshuffle.core.internal.resilience.StoreStack;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.internal.store.SingleFlightBlobStore;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.planner.LatencyProfile;
import dev.blobshuffle.simulator.store.FaultPlan;
import dev.blobshuffle.simulator.store.FaultyBlobStore;
import dev.blobshuffle.simulator.store.SlowBlobStore;
import dev.blobshuffle.simulator.store.StoreFault.Kind;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;

/** The rules hold through all decorators, over a store that fails now and then. */
class DecoratedBlobStoreContractTest extends BlobStoreContractTest {
    /**
     * Outlives each test: requests under way at a close end by its timers, and only then is
     * everything back.
     */
    private static final SystemTime TIME = new SystemTime();

    /** Content that cannot be read is retried for so long, which a test waits for. */
    private static final Duration PATIENCE = Duration.ofSeconds(6);

    /** More than the budget of retries pays for would make tests wait for it in real time. */
    private static final int FAULTS_IN_A_THOUSAND = 40;

    @Override
    protected BlobStore open() {
        ShuffleMetrics metrics = new ShuffleMetrics();
        FaultPlan plan = FaultPlan.random(
                TIME, FAULTS_IN_A_THOUSAND, Duration.ofMillis(2), List.of(Kind.FAIL_BEFORE, Kind.FAIL_AFTER));
        BlobStore faulty = new FaultyBlobStore(new MemoryBlobStore("contract", 256 << 20), TIME, plan);
        BlobStore slow =
                new SlowBlobStore(faulty, LatencyProfile.constant(Duration.ofMillis(1), Duration.ofMillis(1)), TIME);
        BlobStore stack = StoreStack.over(
                slow, StoreRetryPolicy.within(PATIENCE), PATIENCE, ResilienceOptions.USUAL, TIME, metrics);
        return new SingleFlightBlobStore(new Owning(stack, slow));
    }

    /** Closes the store below the stack too, which the stack leaves to its owner. */
    private static final class Owning extends ForwardingBlobStore {
        private final BlobStore below;

        Owning(BlobStore stack, BlobStore below) {
            super(stack);
            this.below = below;
        }

        @Override
        public void close() {
            super.close();
            below.close();
        }
    }

    @AfterAll
    static void end() {
        TIME.close();
    }
}
