package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.simulator.SimulatedTime;
import java.time.Duration;
import java.util.List;

/**
 * An actor that reads its input, appends it to a lane, and commits now and then, as a stream thread
 * does; a failure rolls back to the last commit. Guarded by the simulation's baton.
 */
final class Writer {
    private static final String TOPIC = "shuffle";

    /** Longer than the delay, the delivery timeout and a store that hangs, together. */
    private static final Duration LONGEST_DRAIN = Duration.ofMinutes(10);

    private final World world;
    private final Instance instance;
    private final int lane;
    private final List<Input.Row> input;
    private int zoneShift;

    Writer(World world, Instance instance, int lane) {
        this.world = world;
        this.instance = instance;
        this.lane = lane;
        this.input = world.input().lane(lane);
    }

    /** Writes until the input is written and committed, or the writer has been replaced. */
    void run() {
        WriterSession session = new WriterSession(world, instance.process(), "writer-" + lane, lane);
        try (Lane output =
                world.seams().lane(channel -> instance.engine().lane("lane-" + lane, channel), session, world.time())) {
            int position = session.committed();
            while (position < input.size() || session.isInTransaction()) {
                if (world.ledger().isBroken()) {
                    return;
                }
                position = step(session, output, position);
            }
            world.writerEnded(lane);
        } catch (SimulatedLog.Fenced e) {
            // Another writer continues.
        }
    }

    private int step(WriterSession session, Lane output, int position) {
        SimulatedTime time = world.time();
        try {
            int next = appendSome(session, output, position);
            if (world.strikes(Fault.ROLLED_BACK, 15)) {
                return rollBack(session, output);
            }
            if (next == input.size() || time.random(world.schedule().commitOneIn()) == 0) {
                if (time.random(4) == 0) {
                    awaitDrained(output);
                }
                output.flush(Schedule.FLUSH_TIMEOUT);
                session.commit(next);
            }
            return next;
        } catch (BlobShuffleException | SimulatedLog.Fenced e) {
            time.pause(Duration.ofMillis(time.random(50)));
            return rollBack(session, output);
        }
    }

    /** Waits for the lane without a flush: the batch's delay, or a seal, must be enough. */
    private void awaitDrained(Lane output) {
        SimulatedTime time = world.time();
        if (time.random(2) == 0) {
            output.seal();
        }
        Duration end = time.elapsed().plus(LONGEST_DRAIN);
        while (!output.isDrained() && output.failure() == null) {
            if (time.elapsed().compareTo(end) > 0) {
                world.ledger().violation("lane " + lane + " neither delivers nor fails what it holds");
                return;
            }
            time.pause(Duration.ofMillis(1 + time.random(30)));
        }
    }

    private int appendSome(WriterSession session, Lane output, int position) {
        SimulatedTime time = world.time();
        int next = position;
        int end = Math.min(world.isCalm() ? input.size() : input.size() - 1, position + time.random(7));
        while (next < end) {
            Input.Row row = input.get(next);
            session.begin();
            if (time.random(20) == 0) {
                zoneShift++;
            }
            Zone zone = new Zone(
                    "zone-" + (row.partition() + zoneShift) % world.schedule().zones());
            output.output(new Partition(TOPIC, row.partition()), zone)
                    .append(row.timestamp(), row.keyBytes(), row.value(), row.headers());
            next++;
            if (time.random(2) == 0) {
                time.pause(Duration.ofNanos(time.random(20_000_000)));
            }
        }
        time.pause(Duration.ofNanos(time.random(time.random(10) == 0 ? 1_000_000_000 : 30_000_000)));
        return next;
    }

    private static int rollBack(WriterSession session, Lane output) {
        output.discard();
        session.rollback();
        return session.committed();
    }
}
