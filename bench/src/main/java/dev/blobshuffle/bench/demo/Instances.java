package dev.blobshuffle.bench.demo;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.function.IntFunction;

/** All instances of the application in one run. Owned by one thread. */
final class Instances implements AutoCloseable {
    private final List<InstanceProcess> processes;

    private Instances(List<InstanceProcess> processes) {
        this.processes = processes;
    }

    /** Starts instances 0 to n - 1, and does not wait for them. */
    static Instances start(int count, IntFunction<Properties> settings, Path directory) {
        List<InstanceProcess> processes = new ArrayList<>();
        for (int number = 0; number < count; number++) {
            processes.add(InstanceProcess.start(number, settings.apply(number), directory));
        }
        return new Instances(processes);
    }

    int count() {
        return processes.size();
    }

    /** Whether all of them work. */
    boolean areRunning() {
        check();
        return processes.stream().allMatch(InstanceProcess::isRunning);
    }

    /** Fails if one of them has died. */
    void check() {
        processes.forEach(InstanceProcess::check);
    }

    /** Reports the end of the warm-up to all instances. */
    void beginMeasuring() {
        processes.forEach(InstanceProcess::beginMeasuring);
    }

    /** CPU time of all of them since their start. */
    Duration cpu() {
        return processes.stream().map(InstanceProcess::cpu).reduce(Duration.ZERO, Duration::plus);
    }

    /** Stops them in order, in parallel, and adds up their measurements. */
    DemoMeasurement stop() {
        processes.forEach(InstanceProcess::beginStop);
        DemoMeasurement sum = DemoMeasurement.nothing();
        for (InstanceProcess process : processes) {
            sum = sum.plus(process.finishStop());
        }
        return sum;
    }

    @Override
    public void close() {
        processes.forEach(InstanceProcess::kill);
    }
}
