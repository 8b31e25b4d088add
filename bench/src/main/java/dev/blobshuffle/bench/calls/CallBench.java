package dev.blobshuffle.bench.calls;

import dev.blobshuffle.bench.process.StartedServer;
import dev.blobshuffle.kafkaembedded.KafkaProcess;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/**
 * Runs rows one after the other, with its own broker and service.
 *
 * @param guarantee Kafka Streams' {@code processing.guarantee}
 * @param commitInterval Kafka Streams' {@code commit.interval.ms}
 * @param warmUp time before anything is measured, of each row
 * @param span time that is measured, of each row
 */
public record CallBench(String guarantee, Duration commitInterval, Duration warmUp, Duration span) {
    /**
     * Without these options the JDK's server waits 40 ms before it sends, and closes idle
     * connections.
     */
    private static final List<String> SERVER_OPTIONS = List.of(
            "-Dsun.net.httpserver.nodelay=true",
            "-Dsun.net.httpserver.maxIdleConnections=10000",
            "-Dsun.net.httpserver.idleInterval=3600");

    /**
     * Runs them. Blocks for their time and some seconds.
     *
     * @param directory for logs and state
     * @param listener gets each result at once
     */
    public List<CallResult> run(List<CallCell> cells, Path directory, Consumer<CallResult> listener)
            throws IOException, InterruptedException, ExecutionException {
        List<CallResult> results = new ArrayList<>();
        try (KafkaProcess kafka = KafkaProcess.builder().start();
                StartedServer service =
                        StartedServer.start(directory, CallService.class.getName(), SERVER_OPTIONS, List.of())) {
            CallClient client = new CallClient(URI.create(service.endpoint()));
            ProcessHandle process = ProcessHandle.of(service.pid())
                    .orElseThrow(() -> new IllegalStateException("Cannot measure calls: the service has ended."));
            CallRun run = new CallRun(kafka, client, process, guarantee, commitInterval.toMillis(), directory);
            for (CallCell cell : cells) {
                CallResult result = run.run(cell, results.size(), warmUp, span);
                results.add(result);
                listener.accept(result);
            }
        }
        return results;
    }
}
