package dev.blobshuffle.kstreams.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Two applications side by side, one through blobs and one native, with the same topology, settings
 * and input: at the same moment each loses one of two instances, which is killed, or stops where it
 * stands. What that delays is Kafka's to decide (sessions and transactions have to time out); blobs
 * may add two seconds at most, and nothing is lost. On a machine that is too slow for that in each
 * of some attempts, they may add as much as it takes natively.
 */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class LostInstanceIT {
    private static final Duration MOST_MORE = Duration.ofSeconds(2);
    private static final Duration START = Duration.ofMinutes(4);
    private static final Duration RECOVERY = Duration.ofMinutes(4);
    private static final int WARM = 1_000;

    /**
     * Both have to be served in time by one machine, which may be busy for a moment; what is
     * systematic shows each time.
     */
    private static final int ATTEMPTS = 3;

    @TempDir
    private Path directory;

    /** What becomes of the instance. */
    enum Loss {
        KILLED {
            @Override
            void befall(ChaosInstance instance) {
                instance.kill();
            }
        },
        STOPPED {
            @Override
            void befall(ChaosInstance instance) throws Exception {
                instance.stop();
            }
        };

        abstract void befall(ChaosInstance instance) throws Exception;
    }

    @ParameterizedTest
    @EnumSource
    void delaysAtMostTwoSecondsMoreThanNatively(Loss loss) throws Exception {
        boolean isQuick = false;
        boolean isComparable = false;
        for (int attempt = 1; attempt <= ATTEMPTS && !isQuick; attempt++) {
            Path own = directory.resolve("attempt-" + attempt);
            try (Application natively = new Application(ChaosVariant.NATIVE, own.resolve("native"));
                    Application blobs = new Application(ChaosVariant.BLOBS, own.resolve("blobs"))) {
                List<Application> both = List.of(natively, blobs);
                for (Application application : both) {
                    application.start();
                }
                if (!natively.areRunning()) {
                    System.out.println("void, Kafka Streams does not start: " + natively.describe());
                    continue;
                }
                assertThat(blobs.areRunning()).as(blobs::describe).isTrue();
                for (Application application : both) {
                    application.awaitWarm();
                }
                for (Application application : both) {
                    application.lose(loss);
                }
                for (Application application : both) {
                    application.awaitRecovered();
                }
                Duration ofNative = natively.ledger.slowestSinceMark();
                Duration ofBlobs = blobs.ledger.slowestSinceMark();
                Duration more = ofBlobs.minus(ofNative);
                isQuick = more.compareTo(MOST_MORE) <= 0;
                isComparable |= more.minus(MOST_MORE).compareTo(ofNative) <= 0;
                System.out.println("an instance is " + loss + ": the slowest record took " + ofNative.toMillis()
                        + " ms natively and " + ofBlobs.toMillis() + " ms through blobs");
                for (Application application : both) {
                    application.assertExact();
                }
                assertThat(ofNative).as("the instance was missed").isGreaterThan(Duration.ofSeconds(1));
            }
        }
        assertThat(isQuick || isComparable).as("delays are like those natively").isTrue();
    }

    /** Brokers, two instances, input and output. */
    private static final class Application implements AutoCloseable {
        private final ChaosLedger ledger = new ChaosLedger();
        private final ChaosOptions options;
        private final Path directory;
        private final EmbeddedKafka kafka;
        private final List<ChaosInstance> instances = new ArrayList<>();
        private ChaosInput input;
        private ChaosOutput output;

        Application(ChaosVariant variant, Path directory) throws IOException {
            this.options = ChaosOptions.calm(variant);
            this.directory = directory;
            Files.createDirectories(directory.resolve("blobs"));
            kafka = EmbeddedKafka.builder().start();
        }

        void start() throws IOException {
            kafka.createTopic(ChaosTopology.INPUT, ChaosRecord.ORIGINS);
            kafka.createTopic(ChaosTopology.OUTPUT, ChaosRun.OUTPUT_PARTITIONS);
            kafka.createTopic(ChaosTopology.COUNTS, ChaosRun.OUTPUT_PARTITIONS);
            output = new ChaosOutput(kafka.bootstrapServers(), ledger);
            Properties settings = ChaosRun.settings(options, kafka.bootstrapServers(), directory);
            settings.setProperty("main.consumer.session.timeout.ms", "3000");
            settings.setProperty("main.consumer.heartbeat.interval.ms", "300");
            settings.setProperty("producer.transaction.timeout.ms", "4000");
            if (!options.isNative()) {
                settings.setProperty("blobshuffle.delivery.timeout.ms", "2000");
            }
            for (int i = 0; i < options.instances(); i++) {
                instances.add(ChaosInstance.start(i, directory, settings));
            }
            input = new ChaosInput(kafka.bootstrapServers(), ledger, options);
        }

        /** Whether both instances get their tasks in time. */
        boolean areRunning() throws InterruptedException {
            boolean areRunning = true;
            for (ChaosInstance instance : instances) {
                areRunning &= instance.await(ChaosInstance.Status::isRunning, START);
            }
            return areRunning;
        }

        /** What the brokers and the instances say, those first that do not run. */
        String describe() {
            List<String> lines = new ArrayList<>(List.of(options.variant().name()));
            instances.stream()
                    .sorted(Comparator.comparing(
                            instance -> instance.isAlive() && instance.status().isRunning()))
                    .forEach(instance -> lines.add(instance.describe()));
            try {
                lines.addAll(StuckLogs.describe(kafka.bootstrapServers()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return String.join("\n", lines);
        }

        /** Records flow. */
        void awaitWarm() throws Exception {
            assertThat(ledger.awaitReceived(ledger.received() + WARM, START))
                    .as("records flow")
                    .isTrue();
            assertThat(ledger.awaitBehind(2L * options.rate(), START))
                    .as("what piled up meanwhile is out")
                    .isTrue();
        }

        void lose(Loss loss) throws Exception {
            ledger.mark();
            loss.befall(instances.get(0));
        }

        void awaitRecovered() throws Exception {
            assertThat(ledger.awaitMarked(RECOVERY))
                    .as("the other instance goes on")
                    .isTrue();
        }

        void assertExact() throws Exception {
            input.finish();
            boolean ignored = ledger.awaitComplete(RECOVERY);
            assertThat(ledger.verdict()).matches(ChaosLedger.Verdict::isExact, "exact");
        }

        @Override
        public void close() throws Exception {
            instances.forEach(ChaosInstance::kill);
            if (output != null) {
                output.finish();
            }
            kafka.close();
        }
    }
}
