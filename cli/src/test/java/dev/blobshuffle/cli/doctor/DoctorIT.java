package dev.blobshuffle.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.cli.RefusingPort;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Runs the doctor on real brokers. */
class DoctorIT {
    @TempDir
    Path directory;

    @Test
    void brokersTellTheirClockAndTheLongestTransaction() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.builder()
                .property("transaction.max.timeout.ms", 3000)
                .start()) {
            Path config = directory.resolve("app.properties");
            Files.writeString(
                    config,
                    "bootstrap.servers=" + kafka.bootstrapServers()
                            + "\nprocessing.guarantee=exactly_once_v2\ncommit.interval.ms=1000\nproducer.transaction.timeout.ms=3000\n");
            String output = doctor(0, "--config", config.toString());
            assertThat(output)
                    .contains("ok      kafka    brokers: 1 answers")
                    .contains("the brokers' leader's clock is that of this machine")
                    .contains("and the brokers' transaction.max.timeout.ms, which is 3000, first");
        }
    }

    @Test
    void otherGroupsOnShuffledTopicsAreListed() throws Exception {
        EmbeddedKafka kafka = EmbeddedKafka.shared();
        kafka.createTopic("watched-by-user-repartition", 1);
        TopicPartition partition = new TopicPartition("watched-by-user-repartition", 0);
        Path config = Files.writeString(
                directory.resolve("watched.properties"),
                "application.id=watched\nbootstrap.servers=" + kafka.bootstrapServers() + "\n");
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
            for (String group : List.of("watched", "watched-blobshuffle-skipped")) {
                admin.alterConsumerGroupOffsets(group, Map.of(partition, new OffsetAndMetadata(0)))
                        .all()
                        .get();
            }
            assertThat(doctor(0, "--config", config.toString()))
                    .contains("ok      kafka    readers: no other group reads the 1 shuffled topics");
            admin.alterConsumerGroupOffsets("dashboard", Map.of(partition, new OffsetAndMetadata(0)))
                    .all()
                    .get();
            assertThat(doctor(0, "--config", config.toString()))
                    .contains("WARNING kafka    readers: other groups read shuffled topics:"
                            + " dashboard (watched-by-user-repartition)")
                    .contains("blobshuffle.topics.exclude");
        }
    }

    @Test
    void brokersThatAreNotThereAreAnError() throws Exception {
        try (RefusingPort port = new RefusingPort()) {
            String address = "localhost:" + port.number();
            assertThat(doctor(1, "--bootstrap", address, "--timeout", "2s"))
                    .contains(
                            "ERROR   kafka    brokers: Cannot reach the brokers: connection refused at " + address,
                            "-> Check that the brokers run, and host and port in --bootstrap");
        }
    }

    private String doctor(int expected, String... arguments) {
        StringWriter text = new StringWriter();
        CommandLine command = new CommandLine(new DoctorCommand()).setOut(new PrintWriter(text));
        String[] all = new String[arguments.length + 6];
        System.arraycopy(arguments, 0, all, 6, arguments.length);
        all[0] = "--store";
        all[1] = "file://" + directory.resolve("blobs");
        all[2] = "--samples";
        all[3] = "1";
        all[4] = "--create";
        all[5] = "--execute";
        assertThat(command.execute(all)).as(text.toString()).isEqualTo(expected);
        return text.toString();
    }
}
