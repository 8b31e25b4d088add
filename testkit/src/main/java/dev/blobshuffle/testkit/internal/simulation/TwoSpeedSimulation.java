package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.simulator.SimulatedTime;
import java.util.List;

/**
 * The schedules of {@link ShuffleSimulation} with a store of two speeds. The fast store is lost for
 * ever or emptied at any moment, acknowledges what it forgets, and is slow; the durable one fails
 * after the fast one has succeeded. The same must hold in the end. In addition, no writer commits
 * and no record is answered before its blob is durable, and readers learn of no blob that neither
 * store has acknowledged.
 *
 * <p>Without transactions, readers may learn of a blob that is lost before it is durable, together
 * with its writer. They never skip it by themselves; an operator has them skip it in the end, and
 * only then the order has a gap.
 */
public final class TwoSpeedSimulation {
    private TwoSpeedSimulation() {}

    /**
     * The outcome of a schedule.
     *
     * @param shuffle as with an ordinary store
     * @param early blobs that were announced before they were durable
     * @param skipped blobs that an operator had readers skip
     */
    public record Outcome(ShuffleSimulation.Outcome shuffle, long early, int skipped) {
        /** The promises that were broken; empty when all held. */
        public List<String> violations() {
            return shuffle.violations();
        }
    }

    /** Runs the schedule of one seed. */
    public static Outcome run(long seed) {
        return run(seed, Seams.NONE);
    }

    /** Runs the schedule of one seed with a faulty part. */
    public static Outcome run(long seed, Seams seams) {
        return run(seed, seams, FastCopies.Fleet.EARLY);
    }

    /**
     * Runs the schedule of one seed with instances of different settings. Those that do not know
     * the fast store must not learn of a blob that is not durable.
     */
    static Outcome run(long seed, Seams seams, FastCopies.Fleet fleet) {
        try (SimulatedTime time = new SimulatedTime(seed)) {
            World world = World.ofTwoSpeeds(time, seams, fleet);
            ShuffleSimulation.Outcome outcome = ShuffleSimulation.run(time, world);
            return new Outcome(
                    outcome, world.early(), world.fast().map(FastCopies::skips).orElse(0));
        }
    }
}
