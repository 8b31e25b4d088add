package dev.blobshuffle.bench.run;

import dev.blobshuffle.bench.process.ApplicationProcess;
import dev.blobshuffle.bench.process.CpuTime;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Random;

/**
 * The instances of a run: processes that start together, may be killed and started again, and may
 * join and leave while the others work. Owned by one thread.
 */
final class Instances implements AutoCloseable {
    private final Start start;
    private final List<ApplicationProcess> members = new ArrayList<>();
    private final List<ApplicationProcess> leavers = new ArrayList<>();
    private CpuTime cpuOfLeavers = CpuTime.NONE;
    private int first;
    private long countOfKilled;

    /** Starts an instance. */
    interface Start {
        /**
         * Starts the instance of a number, from 0. The directory of its state is that of the
         * instance that had the number before, if one had.
         */
        ApplicationProcess instance(int number) throws IOException;
    }

    Instances(Start start) {
        this.start = start;
    }

    /** Starts those with which the run begins. */
    void start(int number) throws IOException {
        first = number;
        for (int i = 0; i < number; i++) {
            join();
        }
    }

    /** Starts one more. It measures from its start on. */
    void join() throws IOException {
        members.add(start.instance(members.size() + leavers.size()));
    }

    /** Asks the one that joined last to stop in order, and does not wait for it. */
    void leave() throws IOException {
        ApplicationProcess leaver = members.remove(members.size() - 1);
        cpuOfLeavers = cpuOfLeavers.plus(CpuTime.of(List.of(leaver.pid())));
        leavers.add(leaver);
        leaver.endMeasuring();
        leaver.stop();
    }

    /**
     * Kills one of those with which the run began, with SIGKILL, and starts it again with the state
     * that it left.
     */
    void kill(Random random) throws IOException {
        int number = random.nextInt(first);
        countOfKilled += members.get(number).count();
        members.get(number).close();
        members.set(number, start.instance(number));
    }

    /** Whether all work, and none takes part in a rebalance. */
    boolean areRunning() {
        return members.stream().allMatch(ApplicationProcess::isRunning);
    }

    /** Records after the shuffle that any of them has reported, those that are gone too. */
    long count() {
        return countOfKilled + sum(members) + sum(leavers);
    }

    private static long sum(List<ApplicationProcess> instances) {
        return instances.stream().mapToLong(ApplicationProcess::count).sum();
    }

    /**
     * What they have used until now, those that left until they were asked to. What was killed has
     * taken its account with it.
     */
    CpuTime cpu() throws IOException {
        return CpuTime.of(members.stream().map(ApplicationProcess::pid).toList())
                .plus(cpuOfLeavers);
    }

    /**
     * Fails if a process has ended that was not asked to.
     *
     * @throws IOException one has
     */
    void check() throws IOException {
        for (ApplicationProcess instance : members) {
            instance.check();
        }
    }

    void measure() throws IOException {
        for (ApplicationProcess instance : members) {
            instance.measure();
        }
    }

    void endMeasuring() throws IOException {
        for (ApplicationProcess instance : members) {
            instance.endMeasuring();
        }
    }

    /** Stops all in order; what they have measured, and those before them that left. */
    List<Properties> stop() throws IOException, InterruptedException {
        for (ApplicationProcess instance : members) {
            instance.stop();
        }
        List<Properties> measured = new ArrayList<>();
        for (ApplicationProcess instance : members) {
            measured.add(instance.measured());
        }
        for (ApplicationProcess instance : leavers) {
            measured.add(instance.measured());
        }
        return measured;
    }

    /** Ends all at once. */
    @Override
    public void close() {
        members.forEach(ApplicationProcess::close);
        leavers.forEach(ApplicationProcess::close);
    }
}
