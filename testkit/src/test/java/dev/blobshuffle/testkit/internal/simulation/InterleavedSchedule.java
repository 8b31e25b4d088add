package dev.blobshuffle.testkit.internal.simulation;

import java.util.function.LongFunction;

/** Runs the schedule of a seed with yield points. Made by {@link WovenLoader}, by its name. */
public final class InterleavedSchedule implements LongFunction<String[]> {
    @Override
    public String[] apply(long seed) {
        return ShuffleSimulation.runInterleaved(seed).violations().toArray(new String[0]);
    }
}
