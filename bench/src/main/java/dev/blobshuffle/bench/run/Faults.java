package dev.blobshuffle.bench.run;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Kills instances and brokers with SIGKILL at equal distances of time, in seeded random order, and
 * has each started again at once. Owned by one thread.
 */
final class Faults {
    private final List<Victim> victims = new ArrayList<>();
    private final Random random;
    private final long first;
    private final long between;
    private int done;

    /** Kills one of its kind, which it chooses, and starts it again. */
    interface Victim {
        void strike(Random random) throws IOException;
    }

    /**
     * The faults that parameters ask for.
     *
     * @param begin of the time in which they happen, nanoseconds
     * @param end of it
     */
    Faults(Parameters parameters, Random random, long begin, long end, Victim instance, Victim broker) {
        this.random = random;
        victims.addAll(Collections.nCopies(parameters.count(Parameter.KILLS), instance));
        victims.addAll(Collections.nCopies(parameters.count(Parameter.BROKER_KILLS), broker));
        Collections.shuffle(victims, random);
        between = (end - begin) / (victims.size() + 1);
        first = begin + between;
    }

    /** Kills what is due. */
    void strikeIfDue() throws IOException {
        if (done < victims.size() && System.nanoTime() >= first + done * between) {
            victims.get(done++).strike(random);
        }
    }
}
