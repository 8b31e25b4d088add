package dev.blobshuffle.kafkaembedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.Producer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class KafkaProcessIT extends KafkaClusterContractTest<KafkaProcess> {
    @TempDir
    private static Path directory;

    private final AtomicInteger portsAsked = new AtomicInteger();
    private KafkaProcess single;

    /** The first port that it gets is taken. */
    @BeforeAll
    void startSingle() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            PortSource source = count -> portsAsked.getAndIncrement() > 0
                    ? PortSource.free(count)
                    : List.of(taken.getLocalPort(), PortSource.free(1).get(0));
            single = KafkaProcess.builder()
                    .dataDirectory(directory)
                    .ports(source)
                    .start();
        }
    }

    @AfterAll
    void closeSingle() {
        single.close();
        assertThat(directory.resolve("node-0/.kafka_cleanshutdown")).exists();
    }

    @Override
    KafkaProcess startThreeBrokersInRacks(String... racks) {
        return KafkaProcess.builder().brokers(3).racks(racks).start();
    }

    /** At night, because it is slow. Each build kills a single broker. */
    @Tag("nightly")
    @Test
    void killedMajorityComesBackWithAcknowledgedRecords() throws Exception {
        kafka().createTopic("majority", 1);
        List<String> values = Clients.values("m", 100);
        Clients.send(kafka(), "majority", values);

        kafka().kill(0, 1);
        assertThat(kafka().isRunning(0)).isFalse();
        assertThat(kafka().isRunning(2)).isTrue();
        kafka().restart(0, 1);

        assertThat(Clients.read(kafka(), "majority", values.size())).isEqualTo(values);
    }

    @Test
    void killedBrokerComesBackOnItsPortWithAcknowledgedRecords() throws Exception {
        try (Producer<String, String> producer = Clients.producer(single, Map.of("transactional.id", "writer"))) {
            single.createTopic("survives", 1);
            producer.initTransactions();
            producer.beginTransaction();
            Clients.sendWith(producer, "survives", Clients.values("committed", 100));
            producer.commitTransaction();
            String bootstrapServers = single.bootstrapServers();
            long formerPid = single.pid(0);

            single.kill(0);
            assertThat(ProcessHandle.of(formerPid)).isEmpty();
            assertThatThrownBy(() -> single.pid(0)).hasMessageContaining("not running");
            Duration cpuOfFirstLife = single.cpu(0);
            single.restart(0);

            assertThat(single.pid(0)).isNotEqualTo(formerPid);
            assertThat(single.bootstrapServers()).isEqualTo(bootstrapServers);
            producer.beginTransaction();
            Clients.sendWith(producer, "survives", Clients.values("after", 10));
            producer.commitTransaction();
            List<String> expected = Clients.values("committed", 100);
            expected.addAll(Clients.values("after", 10));
            assertThat(Clients.read(single, "survives", expected.size())).isEqualTo(expected);
            assertThat(cpuOfFirstLife).isPositive();
            assertThat(single.cpu(0)).isGreaterThan(cpuOfFirstLife);
        }
    }

    @Test
    void pausedBrokerAnswersOnlyWhenResumed() throws Exception {
        try (Admin admin = Clients.admin(single)) {
            admin.describeCluster().nodes().get();
            single.pause(0);
            // Its threads stop one by one, so that it may still answer a request or two.
            var answer = admin.describeCluster().nodes();
            for (int i = 0; i < 20 && isAnswered(answer); i++) {
                answer = admin.describeCluster().nodes();
            }
            assertThat(answer.isDone()).isFalse();
            single.resume(0);
            assertThat(answer.get(1, TimeUnit.MINUTES)).hasSize(1);
        }
    }

    private static boolean isAnswered(Future<?> answer) throws Exception {
        try {
            answer.get(500, TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        }
    }

    @Test
    void stopIsOrderly() throws Exception {
        List<String> values = Clients.values("kept", 10);
        single.createTopic("kept", 1);
        Clients.send(single, "kept", values);

        single.stop(0);
        assertThat(single.isRunning(0)).isFalse();
        assertThat(directory.resolve("node-0/.kafka_cleanshutdown")).exists();
        single.restart(0);

        assertThat(Clients.read(single, "kept", values.size())).isEqualTo(values);
    }

    @Test
    void takenPortIsReplaced() {
        assertThat(portsAsked).hasValue(2);
        single.createTopic("reachable", 1);
    }

    @Test
    void failedStartShowsWhatTheProcessPrinted() {
        assertThatThrownBy(
                        () -> KafkaProcess.builder().jvmFlags("-XX:NoSuchFlag").start())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Cannot start Kafka node 0")
                .hasMessageContaining("NoSuchFlag");
    }

    @Test
    void brokersEndWithTheirParent(@TempDir Path named) throws Exception {
        Process parent = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Parent.class.getName(),
                        named.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader lines = parent.inputReader(StandardCharsets.UTF_8)) {
            int port = Integer.parseInt(lines.readLine());
            assertThat(listens(port)).isTrue();
            parent.destroyForcibly();
            // Not the process: in a container whose first process waits for no orphan it stays.
            await("the broker's end").atMost(Duration.ofMinutes(2)).until(() -> !listens(port));
        } finally {
            parent.destroyForcibly();
        }
        assertThat(Files.exists(named.resolve("node-0"))).isTrue();
    }

    private static boolean listens(int port) {
        try (Socket ignored = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** A process that starts a broker, prints the broker's port and is killed. */
    static final class Parent {
        public static void main(String[] arguments) throws InterruptedException, ExecutionException {
            KafkaProcess kafka =
                    KafkaProcess.builder().dataDirectory(Path.of(arguments[0])).start();
            System.out.println(kafka.bootstrapServers().replaceAll(".*:", ""));
            Thread.currentThread().join();
        }
    }
}
