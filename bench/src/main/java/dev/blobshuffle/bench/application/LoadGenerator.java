package dev.blobshuffle.bench.application;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import dev.blobshuffle.bench.workload.Message;
import dev.blobshuffle.bench.workload.Source;
import dev.blobshuffle.bench.workload.Timeline;
import dev.blobshuffle.bench.workload.Topics;
import dev.blobshuffle.bench.workload.Workloads;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Sends the input of a workload, in a process of its own. At a rate, it sends each record when it
 * is due, independently of the system (an open model); the record's timestamp is its due time.
 * Without a rate, it sends as fast as possible. It ends when its standard input ends. Prints {@code
 * start TIME}, the time of the first record in milliseconds, {@code sent N} several times a second,
 * and {@code done} when the brokers have everything.
 */
public final class LoadGenerator {
    private static final long REPORT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    /** Time before the first record is due, in which the JVM loads the classes that send it. */
    private static final long AHEAD_MILLIS = 500;

    private static final long LEAST_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

    private LoadGenerator() {}

    /**
     * Sends the input.
     *
     * @param args one: the file with the parameters, {@code bench.workload}, {@code bench.input},
     *     {@code bench.keyless.partitions}, and {@code bootstrap.servers}. With {@code
     *     bench.prepares=true} it first sends the records of the workload's other topics, whose
     *     names begin with {@code application.id}.
     */
    public static void main(String[] args) throws IOException {
        endWithParent();
        Properties settings = new Properties();
        try (var reader = Files.newBufferedReader(Path.of(args[0]))) {
            settings.load(reader);
        }
        Parameters parameters = Parameters.of(settings).overriddenBy(System.getenv());
        Map<String, Object> own = new HashMap<>();
        own.put("bootstrap.servers", settings.getProperty("bootstrap.servers"));
        // A killed broker must neither lose nor duplicate its records.
        own.put("acks", parameters.number(Parameter.BROKER_KILLS) > 0 ? "all" : "1");
        own.put("batch.size", "262144");
        own.put("linger.ms", parameters.hasRate() ? "0" : "20");
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(own, new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.partitionsFor(
                    settings.getProperty(BenchApplication.OWN + "input")); // connected before the clock starts
            if (Boolean.parseBoolean(settings.getProperty(BenchApplication.OWN + "prepares"))) {
                prepare(producer, parameters, settings);
            }
            long start = System.currentTimeMillis() + (parameters.hasRate() ? AHEAD_MILLIS : 0);
            Timeline timeline = Timeline.of(parameters, start);
            Source source = Workloads.named(settings.getProperty(BenchApplication.OWN + "workload"))
                    .source(parameters, timeline);
            send(producer, source, parameters, timeline, settings);
        }
        System.out.println("done");
        System.out.flush();
    }

    /** Ends this process when its standard input ends. The parent writes nothing to it. */
    private static void endWithParent() {
        Thread watch = new Thread(
                () -> {
                    try {
                        System.in.transferTo(OutputStream.nullOutputStream());
                    } catch (IOException e) {
                        // The parent has ended in this case too.
                    }
                    Runtime.getRuntime().halt(1);
                },
                "parent-watch");
        watch.setDaemon(true);
        watch.start();
    }

    private static void prepare(KafkaProducer<byte[], byte[]> producer, Parameters parameters, Properties settings) {
        Topics topics = new Topics(
                settings.getProperty("application.id"), settings.getProperty(BenchApplication.OWN + "input"));
        Workloads.named(settings.getProperty(BenchApplication.OWN + "workload"))
                .prepared(parameters)
                .forEach((topic, messages) -> messages.forEach(message -> producer.send(
                        new ProducerRecord<>(topics.own(topic), message.key(), message.value()),
                        LoadGenerator::endOnFailure)));
        producer.flush();
    }

    private static void endOnFailure(RecordMetadata sent, @Nullable Exception failure) {
        if (failure != null) {
            failure.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }

    private static void send(
            KafkaProducer<byte[], byte[]> producer,
            Source source,
            Parameters parameters,
            Timeline timeline,
            Properties settings) {
        String topic = settings.getProperty(BenchApplication.OWN + "input");
        int partitions = Integer.parseInt(settings.getProperty(BenchApplication.OWN + "keyless.partitions"));
        long records = parameters.allRecords();
        System.out.println("start " + timeline.start());
        System.out.flush();
        long start = System.nanoTime() + (timeline.start() - System.currentTimeMillis()) * 1_000_000;
        long reported = System.nanoTime();
        for (long i = 0; i < records; i++) {
            if (parameters.hasRate()) {
                pause(start + timeline.nanosAfterStart(i));
            }
            Message message = source.next();
            Integer partition = message.key() == null ? (int) (i % partitions) : null;
            producer.send(
                    new ProducerRecord<>(topic, partition, message.timestamp(), message.key(), message.value()),
                    LoadGenerator::endOnFailure);
            if (System.nanoTime() - reported > REPORT_NANOS) {
                reported = System.nanoTime();
                System.out.println("sent " + (i + 1));
                System.out.flush();
            }
        }
        producer.flush();
        System.out.println("sent " + records);
        System.out.flush();
    }

    /**
     * Waits until a time. Returns at once if the time has passed, or is so near that sending
     * records together is more efficient.
     */
    private static void pause(long dueNanos) {
        for (long left = dueNanos - System.nanoTime(); left > LEAST_PAUSE_NANOS; left = dueNanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
