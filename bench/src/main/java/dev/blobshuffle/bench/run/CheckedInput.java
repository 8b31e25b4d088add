package dev.blobshuffle.bench.run;

import dev.blobshuffle.bench.application.BenchApplication;
import dev.blobshuffle.bench.application.LoadGenerator;
import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import dev.blobshuffle.bench.process.Generator;
import dev.blobshuffle.bench.workload.BenchWorkload;
import dev.blobshuffle.bench.workload.Expectation;
import dev.blobshuffle.bench.workload.Source;
import dev.blobshuffle.bench.workload.Timeline;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * An input, and the output that is expected from it.
 *
 * @param topic the topic of the input
 * @param expectation the expected output
 */
record CheckedInput(String topic, Expectation expectation) {
    /** Writes an input as fast as possible and returns when the brokers have it. */
    static CheckedInput write(
            Cluster cluster, BenchWorkload workload, Parameters parameters, String topic, Path directory)
            throws IOException, InterruptedException {
        cluster.createInput(topic, parameters);
        try (Generator generator = generator(cluster, workload, parameters, topic, directory)) {
            CheckedInput input = of(workload, parameters, topic, generator.start());
            while (!generator.isDone()) {
                generator.check();
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
            return input;
        }
    }

    /** Starts a load generator. */
    static Generator generator(
            Cluster cluster, BenchWorkload workload, Parameters parameters, String topic, Path directory)
            throws IOException {
        Properties settings = new Properties();
        parameters.addTo(settings);
        settings.setProperty("bootstrap.servers", cluster.bootstrapServers());
        settings.setProperty(BenchApplication.OWN + "workload", workload.name());
        settings.setProperty(BenchApplication.OWN + "input", topic);
        settings.setProperty(BenchApplication.OWN + "keyless.partitions", parameters.text(Parameter.PARTITIONS));
        return Generator.start(directory, LoadGenerator.class, settings);
    }

    /**
     * The input that begins at a time in milliseconds, with its expected output recomputed from the
     * same source.
     */
    static CheckedInput of(BenchWorkload workload, Parameters parameters, String topic, long start) {
        Expectation expectation = workload.expectation(parameters);
        Timeline timeline = Timeline.of(parameters, start);
        // The generator reports the time of its first record. Without a rate, that is not the time
        // of its start.
        Source source = workload.source(parameters, new Timeline(start, timeline.perSecond()));
        for (long i = 0; i < parameters.allRecords(); i++) {
            expectation.add(source.next());
        }
        return new CheckedInput(topic, expectation);
    }
}
