package dev.blobshuffle.flink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.flink.OrdersExample.Order;
import dev.blobshuffle.flink.internal.instance.TaskInstances;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.util.EnvironmentInformation;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A job with failures finds what Flink's own exchange finds. */
class ExactlyOnceIT {
    @TempDir
    private Path directory;

    @BeforeEach
    void reset() {
        KeyedJob.reset();
    }

    @Test
    void theExampleOfTheGuideSumsOrders() throws Exception {
        Configuration configuration = new Configuration();
        configuration.setString("blobshuffle.store", "memory://orders");
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.createLocalEnvironment(2, configuration);
        List<String> sums = new ArrayList<>();

        try (CloseableIterator<Order> hourly = OrdersExample.hourly(
                        environment,
                        new Order("anna", 100, 1),
                        new Order("bob", 10, 2),
                        new Order("anna", 11, 3),
                        new Order("anna", 7, 3_600_001))
                .executeAndCollect()) {
            hourly.forEachRemaining(order -> sums.add(order.customer + " " + order.amount));
        }

        assertThat(sums).containsExactlyInAnyOrder("anna 111", "bob 10", "anna 7");
    }

    /** The build says which one. */
    @Test
    void theTestsRunOnTheReleaseOfFlinkThatIsMeant() {
        String expected = System.getProperty("flink.expected.version");
        String actual = EnvironmentInformation.getVersion();

        assertThat(actual).isEqualTo(expected == null ? actual : expected);
    }

    @Test
    void resultsEqualThoseOfKeyByAfterFailures() throws Exception {
        new KeyedJob(directory, 40_000).natively().run(0);
        Map<String, String> expected = KeyedJob.results();
        KeyedJob.reset();
        KeyedJob job = new KeyedJob(directory, 40_000).rate(12_000);

        job.run(2);

        assertThat(KeyedJob.failures()).isEqualTo(2);
        assertThat(KeyedJob.lateRecords()).isZero();
        assertThat(KeyedJob.outOfOrder()).isZero();
        assertThat(KeyedJob.results()).isEqualTo(expected).isEqualTo(job.expected());
        assertThat(TaskInstances.count()).as("instances that stay open").isZero();
    }
}
