package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.retention.SweepTiming;
import dev.blobshuffle.core.internal.write.options.BatchScope;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.internal.write.options.LatencyTarget;
import dev.blobshuffle.simulator.SimulatedTime;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * The decisions of a seed before a schedule starts. Each schedule has only some kinds of faults, so
 * that no kind hides what another one would find.
 *
 * @param exactlyOnce whether writers and readers use transactions; otherwise at-least-once
 * @param instances number of processes, each with writers and readers
 * @param writers writers (lanes) per instance
 * @param readers readers (consumers) per instance
 * @param records records per writer
 * @param commitOneIn a writer commits after one in so many of its steps
 * @param faults the kinds of faults that may happen
 * @param chaos number of kills, replacements and reassignments
 * @param batcher how the instances batch
 * @param readBytes the read budget of an instance
 * @param largest the largest value, bytes
 * @param isSweeping whether unneeded blobs are deleted
 */
record Schedule(
        boolean exactlyOnce,
        int instances,
        int writers,
        int readers,
        int partitions,
        int zones,
        int records,
        int commitOneIn,
        Set<Fault> faults,
        int chaos,
        BatcherOptions batcher,
        long readBytes,
        int largest,
        boolean isSweeping) {
    /**
     * Faults happen in this span; after it everything heals, so that the schedule comes to an end.
     */
    static final Duration FAULTY = Duration.ofSeconds(4);

    /** The longest from a send to the log. */
    static final Duration LONGEST_DELIVERY = Duration.ofMillis(300);

    /** The longest that a writer waits for its flush. */
    static final Duration FLUSH_TIMEOUT = Duration.ofSeconds(20);

    /** The schedule of the time's seed. */
    static Schedule of(SimulatedTime time) {
        Set<Fault> faults = EnumSet.noneOf(Fault.class);
        for (Fault fault : Fault.usual()) {
            if (time.random(3) > 0) {
                faults.add(fault);
            }
        }
        if (time.random(8) > 0) {
            faults.remove(Fault.STORE_HANGS); // Such schedules last long.
        }
        boolean isSweeping = isSweeping(time.seed());
        if (isSweeping) {
            faults.remove(Fault.STORE_HANGS); // A blob that is stored late is swept later still.
            Fault.OF_SWEEPS.stream().filter(fault -> time.random(3) > 0).forEach(faults::add);
        }
        boolean exactlyOnce = time.random(3) > 0;
        if (exactlyOnce) {
            faults.remove(Fault.READER_RESET); // It would deliver again what was delivered for good.
        }
        int instances = 1 + time.random(2);
        int writers = 1 + time.random(2);
        return new Schedule(
                exactlyOnce,
                instances,
                writers,
                1 + time.random(2),
                1 + time.random(3),
                1 + time.random(3),
                (instances * writers == 1 ? 90 : 45) + time.random(25),
                2 + time.random(time.random(3) == 0 ? 20 : 4),
                faults,
                3 + time.random(4),
                batcher(time, isSweeping),
                time.random(3) == 0 ? 1 : 1 << (10 + time.random(12)),
                time.random(4) == 0 ? 6000 : 300,
                isSweeping);
    }

    /** The same decisions with more instances, which combine their small blobs. */
    Schedule combining(SimulatedTime time) {
        Set<Fault> combined = EnumSet.copyOf(faults);
        combined.add(Fault.PART_LOST); // No schedule is without one.
        for (Fault fault : Fault.OF_COMBINING) {
            if (time.random(3) > 0) {
                combined.add(fault);
            }
        }
        return new Schedule(
                exactlyOnce,
                2 + time.random(3),
                writers,
                readers,
                partitions,
                zones,
                20 + time.random(25),
                commitOneIn,
                combined,
                chaos,
                batcher,
                readBytes,
                largest,
                isSweeping);
    }

    /** The same decisions with faults of a store of two speeds. */
    Schedule ofTwoSpeeds(SimulatedTime time) {
        Set<Fault> drawn = EnumSet.copyOf(faults);
        drawn.add(Fault.DURABLE_DOWN); // No schedule is without one.
        for (Fault fault : Fault.OF_TWO_SPEEDS) {
            if (time.random(2) > 0) {
                drawn.add(fault);
            }
        }
        return new Schedule(
                exactlyOnce,
                instances,
                writers,
                readers,
                partitions,
                zones,
                records,
                commitOneIn,
                drawn,
                chaos,
                batcher,
                readBytes,
                largest,
                isSweeping);
    }

    /** Decides without a random draw, so that a seed's other decisions do not depend on it. */
    private static boolean isSweeping(long seed) {
        return Math.floorMod(seed * 0x9E3779B97F4A7C15L >>> 40, 4) == 3;
    }

    /** Sweeps as often as a batch's notifications allow. */
    SweepTiming sweeps() {
        return new SweepTiming(step(), step().dividedBy(8));
    }

    /** Time between the steps of a sweep. */
    Duration step() {
        return batcher.deliveryTimeout().plus(LONGEST_DELIVERY).plusMillis(50);
    }

    private static BatcherOptions batcher(SimulatedTime time, boolean isSweeping) {
        int codec = time.random(16);
        BatcherOptions.Builder builder = BatcherOptions.builder()
                .batchBytes(1L << (9 + time.random(8)))
                .delay(Duration.ofMillis(time.random(4) == 0 ? 0 : 1 + time.random(300)))
                .scope(time.random(3) == 0 ? BatchScope.LANE : BatchScope.INSTANCE)
                .inlineBytes(time.random(3) == 0 ? 1L << (6 + time.random(6)) : 0)
                .codec(codec == 0 ? Codec.LZ4 : Codec.NONE)
                .deliveryTimeout(Duration.ofMillis(300 + time.random(time.random(2) == 0 ? 1000 : 12_000)))
                .bufferBytes((long) 1024 << (5 + time.random(8)))
                .maxBlock(Duration.ofMillis(100 + time.random(20_000)))
                .chunkBytes(1024 << time.random(3))
                .workers(1 + time.random(3))
                .blobsInFlight(1 + time.random(16));
        if (time.random(4) == 0) {
            builder.fallback(new BatcherOptions.Fallback(1L << (12 + time.random(8)), 4096 + time.random(2) * 4096));
        }
        // Sweeps need short timeouts, and a target computes for longer than these where each step
        // takes time.
        if (time.random(4) == 0 && !isSweeping) {
            Duration longest = Duration.ofMillis(1 + time.random(300));
            Duration hidden = Duration.ofMillis(time.random(2) * 100L);
            builder.delay(longest).target(new LatencyTarget(Duration.ofMillis(1 + time.random(2000)), hidden));
        }
        if (isSweeping) {
            Duration timeout = Duration.ofMillis(300 + time.random(1000));
            builder.deliveryTimeout(timeout).notifyWithin(timeout.plus(LONGEST_DELIVERY));
        }
        return builder.build();
    }

    /** Whether a kind of fault happens now, by chance. */
    boolean strikes(Fault fault, int oneIn, SimulatedTime time) {
        return faults.contains(fault) && time.elapsed().compareTo(FAULTY) < 0 && time.random(oneIn) == 0;
    }
}
