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
         * Starts the instance of a number, from 0. It uses the state directory of the former
         * instance with this number, if there was one.
         */
        ApplicationProcess instance(int number) throws IOException;
    }

    Instances(Start start) {
        this.start = start;
    }

    /** Starts the first instances of the run. */
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
     * Kills one of the first instances with SIGKILL, and starts it again with the state that it
     * left.
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

    /** Records after the shuffle that all instances have reported, including ended ones. */
    long count() {
        return countOfKilled + sum(members) + sum(leavers);
    }

    private static long sum(List<ApplicationProcess> instances) {
        return instances.stream().mapToLong(ApplicationProcess::count).sum();
    }

    /**
     * CPU time that the instances have used until now. An instance that leaves counts until it was
     * asked to leave. The account of a killed instance is lost.
     */
    CpuTime cpu() throws IOException {
        return CpuTime.of(members.stream().map(ApplicationProcess::pid).toList())
                .plus(cpuOfLeavers);
    }

    /**
     * Fails if a process has ended without being asked to.
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

    /** Stops all in order. Returns their measurements, and those of instances that left before. */
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
