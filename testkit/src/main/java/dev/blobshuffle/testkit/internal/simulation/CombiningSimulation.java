package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.simulator.SimulatedTime;
import java.util.List;

/**
 * The schedules of {@link ShuffleSimulation} with instances that hand their small blobs to hubs.
 * The hubs are killed, stand still, are full, and answer wrongly; parts and answers are lost,
 * repeated, or come from another owner. Instances begin and end to combine while they run. The
 * same must hold in the end. In addition, parts of different owners never share a blob, no blob
 * waits long for a hub while the store works, and all orphans are swept.
 */
public final class CombiningSimulation {
    private CombiningSimulation() {}

    /**
     * The outcome of a schedule.
     *
     * @param shuffle as without combining
     * @param combined parts that were announced in a hub's blob
     * @param switches how often instances began or ended to combine
     */
    public record Outcome(ShuffleSimulation.Outcome shuffle, long combined, long switches) {
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
        try (SimulatedTime time = new SimulatedTime(seed)) {
            World world = World.combining(time, seams);
            ShuffleSimulation.Outcome outcome = ShuffleSimulation.run(time, world);
            return new Outcome(
                    outcome,
                    world.zone().map(CombiningZone::combined).orElse(0L),
                    world.zone().map(CombiningZone::switches).orElse(0L));
        }
    }
}
