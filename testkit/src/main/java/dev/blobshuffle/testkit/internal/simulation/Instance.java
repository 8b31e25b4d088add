package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.retention.Sweeper;
import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.simulator.Actor;
import dev.blobshuffle.simulator.SimulatedProcess;
import java.util.ArrayList;
import java.util.List;

/**
 * A process of the application: one engine, and the writers and readers that share it. Guarded by
 * the simulation's baton.
 */
final class Instance {
    private final World world;
    private final int number;
    private final SimulatedProcess process;
    private final Engine engine;
    private final Sweeper sweeper;
    private final Membership membership;
    private final List<Actor> actors = new ArrayList<>();
    private final List<Runnable> bodies = new ArrayList<>();

    Instance(World world, int number) {
        this.world = world;
        this.number = number;
        this.process = world.time().process("instance-" + number);
        this.engine = world.engine(process);
        this.sweeper = world.sweeper(process, engine);
        this.membership = sweeper.watch(Membership.none());
    }

    /** Starts the writers that are not done, and the readers. */
    void start() {
        for (int i = 0; i < world.schedule().writers(); i++) {
            int lane = number * world.schedule().writers() + i;
            if (!world.isWritten(lane)) {
                start(() -> new Writer(world, this, lane).run());
            }
        }
        for (int i = 0; i < world.schedule().readers(); i++) {
            String client = "reader-" + (number * world.schedule().readers() + i);
            start(() -> new Reader(world, this, client).run());
        }
    }

    private void start(Runnable body) {
        bodies.add(body);
        actors.add(process.actor("actor-" + actors.size(), body::run));
    }

    /** Ends one writer or reader by an error; another one takes its place at once. */
    void replaceActor(int chance) {
        int chosen = chance % actors.size();
        while (!actors.get(chosen).isAlive()) {
            chosen = (chosen + 1) % actors.size();
        }
        actors.get(chosen).kill();
        world.ledger().fault(Fault.ACTOR_KILLED);
        Runnable body = bodies.get(chosen);
        actors.set(chosen, process.actor("actor-" + chosen + "-again", body::run));
    }

    /** Whether a writer or reader of it goes on. */
    boolean isRunning() {
        return actors.stream().anyMatch(Actor::isAlive);
    }

    /** Checks that everything came back when all actors have ended, and ends the engine. */
    void check() {
        if (!process.isAlive()) {
            return;
        }
        long write = engine.metrics().value(Gauge.WRITE_BUFFER_USED);
        long read = engine.metrics().value(Gauge.READ_BUFFER_USED);
        long lag = engine.metrics().value(Gauge.LAG_RECORDS);
        if (write != 0 || read != 0 || lag != 0) {
            world.ledger()
                    .violation("instance " + number + " ended with " + write + " bytes of its write buffer, " + read
                            + " of its read buffer and a lag of " + lag);
        }
        long corrupt = engine.metrics().value(Counter.FETCHES_CORRUPT);
        if (corrupt != 0 && !world.ledger().falsifiedReads()) {
            // The engine reads again after a corrupt read, so only this check detects that it
            // decoded bytes that were already released.
            world.ledger()
                    .violation(
                            "instance " + number + " found " + corrupt + " reads corrupt of which none was falsified");
        }
        engine.close();
    }

    /** Blobs that it announced before they were durable. */
    long early() {
        return engine.metrics().value(Counter.BLOBS_ANNOUNCED_EARLY);
    }

    /** Ends sweeps. */
    void closeSweeper() {
        if (process.isAlive()) {
            sweeper.close();
        }
    }

    /** Reports to the sweeper what a reader reads. */
    Membership.Reading reading() {
        return membership.reading();
    }

    int number() {
        return number;
    }

    SimulatedProcess process() {
        return process;
    }

    Engine engine() {
        return engine;
    }
}
