package dev.blobshuffle.bench.calls;

import dev.blobshuffle.kafkaembedded.KafkaProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Produced;
import org.jspecify.annotations.Nullable;

/**
 * Runs one row: an application in this process, records at a constant rate, and a sink. Then checks
 * that every committed record has its result. Owned by one thread.
 */
final class CallRun {
    private static final Duration START = Duration.ofMinutes(2);
    private static final Duration CLOSE = Duration.ofMinutes(2);

    private final KafkaProcess kafka;
    private final CallClient client;
    private final ProcessHandle service;
    private final String guarantee;
    private final long commitIntervalMillis;
    private final Path directory;

    CallRun(
            KafkaProcess kafka,
            CallClient client,
            ProcessHandle service,
            String guarantee,
            long commitIntervalMillis,
            Path directory) {
        this.kafka = kafka;
        this.client = client;
        this.service = service;
        this.guarantee = guarantee;
        this.commitIntervalMillis = commitIntervalMillis;
        this.directory = directory;
    }

    CallResult run(CallCell cell, int number, Duration warmUp, Duration span)
            throws InterruptedException, ExecutionException {
        String id = "calls-" + number;
        kafka.createTopic(id + "-input", cell.partitions());
        kafka.createTopic(id + "-output", 1);
        KafkaStreams streams = new KafkaStreams(topology(cell, id), settings(cell, id));
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        streams.setUncaughtExceptionHandler(e -> {
            failure.compareAndSet(null, e);
            return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
        });
        try (CallSink sink = new CallSink(kafka.bootstrapServers(), id + "-output")) {
            start(streams, cell);
            return measured(cell, id, streams, failure, sink, warmUp, span);
        } finally {
            streams.close(CLOSE);
        }
    }

    /**
     * Starts the application and waits until all threads have their partitions, because the time
     * before that does not depend on the function.
     */
    private static void start(KafkaStreams streams, CallCell cell) throws InterruptedException {
        CountDownLatch running = new CountDownLatch(1);
        streams.setStateListener((now, before) -> {
            if (now == KafkaStreams.State.RUNNING || now == KafkaStreams.State.ERROR) {
                running.countDown();
            }
        });
        streams.start();
        if (!running.await(START.toSeconds(), TimeUnit.SECONDS) || streams.state() == KafkaStreams.State.ERROR) {
            throw new IllegalStateException("Cannot measure " + cell.name() + ": the application is " + streams.state()
                    + " after at most " + START.toSeconds() + " s. Look into its log.");
        }
    }

    private CallResult measured(
            CallCell cell,
            String id,
            KafkaStreams streams,
            AtomicReference<@Nullable Throwable> failure,
            CallSink sink,
            Duration warmUp,
            Duration span)
            throws InterruptedException, ExecutionException {
        try (CallFeed feed = new CallFeed(kafka.bootstrapServers(), cell, id + "-input")) {
            sink.readFor(warmUp);
            CallCosts before = CallCosts.now(streams, service);
            List<CallSample> samples = sink.measure(span, feed::count);
            CallCosts costs = CallCosts.now(streams, service).since(before);
            int results = sink.measured();
            double achieved = results / samples.get(samples.size() - 1).second();
            Queue<CallFeed.Written> written = feed.finish();
            if (cell.variant() == CallVariant.KEY_CHECKPOINT) {
                sink.readUntil(written.size(), CLOSE); // Closing stores pending records, which would look lost.
            }
            boolean isClosed = streams.close(CLOSE);
            if (failure.get() != null || !isClosed) {
                throw new IllegalStateException(
                        "Cannot measure " + cell.name() + " (" + cell.variant().label() + "): the application "
                                + (isClosed ? "failed: " + failure.get() : "did not end in " + CLOSE.toSeconds() + " s")
                                + ".",
                        failure.get());
            }
            sink.readToEnd();
            long lost = lost(id, written, sink);
            return new CallResult(
                    cell,
                    achieved,
                    sink.percentile(0.5),
                    sink.percentile(0.99),
                    lost,
                    sink.duplicated(),
                    sink.inversions(),
                    costs,
                    results,
                    samples);
        }
    }

    private long lost(String id, Queue<CallFeed.Written> written, CallSink sink)
            throws InterruptedException, ExecutionException {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
            Map<TopicPartition, OffsetAndMetadata> committed = admin.listConsumerGroupOffsets(id)
                    .partitionsToOffsetAndMetadata()
                    .get();
            return written.stream()
                    .filter(record -> {
                        OffsetAndMetadata end = committed.get(new TopicPartition(id + "-input", record.partition()));
                        return end != null && record.offset() < end.offset() && !sink.has(record);
                    })
                    .count();
        }
    }

    private Topology topology(CallCell cell, String id) {
        StreamsBuilder builder = new StreamsBuilder();
        cell.variant()
                .applied(builder.stream(id + "-input", Consumed.with(Serdes.String(), Serdes.String())), cell, client)
                .to(id + "-output", Produced.with(Serdes.String(), Serdes.String()));
        return builder.build();
    }

    private Properties settings(CallCell cell, String id) {
        Properties settings = new Properties();
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, id);
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, kafka.bootstrapServers());
        settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, guarantee);
        settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, commitIntervalMillis);
        settings.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, cell.partitions());
        settings.put(StreamsConfig.POLL_MS_CONFIG, 10);
        settings.put(StreamsConfig.STATE_DIR_CONFIG, directory.resolve(id).toString());
        settings.put("auto.offset.reset", "earliest");
        if (cell.variant() == CallVariant.PLAIN) {
            // A thread with a plain slow function leaves its buffered records only after half of
            // this interval, even to end.
            settings.put("max.poll.interval.ms", 20_000);
        }
        settings.put("producer.linger.ms", 2);
        settings.put("producer.buffer.memory", 4 << 20);
        return settings;
    }
}
