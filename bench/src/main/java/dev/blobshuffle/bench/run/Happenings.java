package dev.blobshuffle.bench.run;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.Random;

/**
 * The kills, joins and departures of instances and brokers while a run is measured. Owned by one
 * thread.
 *
 * <p>Instances and brokers are killed at equal intervals, in seeded random order, and started again
 * at once. Instances join and leave in turns of equal length: one joins after a sixth of its turn,
 * and leaves when a sixth is left.
 */
final class Happenings {
    private static final int SIXTHS = 6;

    private final Queue<Due> due;

    /** One action. */
    interface Step {
        void take() throws IOException;
    }

    /**
     * An action and its time.
     *
     * @param nanos the clock
     */
    record Due(long nanos, Step step) {}

    private Happenings(List<Due> due) {
        this.due = new ArrayDeque<>(due);
    }

    /**
     * The actions that the parameters ask for.
     *
     * @param begin of the time in which it happens, nanoseconds
     * @param end of it
     */
    static Happenings of(
            Parameters parameters, Random random, long begin, long end, Instances instances, Cluster cluster) {
        List<Step> kills = new ArrayList<>();
        kills.addAll(Collections.nCopies(parameters.count(Parameter.KILLS), () -> instances.kill(random)));
        kills.addAll(Collections.nCopies(
                parameters.count(Parameter.BROKER_KILLS),
                () -> cluster.killBroker(random.nextInt(parameters.count(Parameter.REPLICATION)))));
        Collections.shuffle(kills, random);
        List<Due> all = killing(kills, begin, end);
        all.addAll(joining(parameters.count(Parameter.JOINS), begin, end, instances::join, instances::leave));
        all.sort(Comparator.comparingLong(Due::nanos));
        return new Happenings(all);
    }

    private static List<Due> killing(List<Step> kills, long begin, long end) {
        long between = (end - begin) / (kills.size() + 1);
        List<Due> all = new ArrayList<>();
        for (Step kill : kills) {
            all.add(new Due(begin + (all.size() + 1) * between, kill));
        }
        return all;
    }

    /** The turns of instances that join and leave. */
    static List<Due> joining(int joins, long begin, long end, Step join, Step leave) {
        List<Due> all = new ArrayList<>();
        for (int i = 0; i < joins; i++) {
            long turn = (end - begin) / joins;
            long start = begin + i * turn;
            all.add(new Due(start + turn / SIXTHS, join));
            all.add(new Due(start + turn - turn / SIXTHS, leave));
        }
        return all;
    }

    /** Performs the actions that are due. */
    void doWhatIsDue() throws IOException {
        for (Due next = due.peek(); next != null && System.nanoTime() >= next.nanos; next = due.peek()) {
            due.remove();
            next.step.take();
        }
    }
}
