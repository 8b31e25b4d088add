package dev.blobshuffle.bench.application;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is read through JMX while tasks come and go. */
class CountersTest {
    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    private ObjectName registered;

    /** As JMX wants it: a class with the name of its interface. */
    public interface OtherMBean {
        double getSomething();
    }

    /** Has none of the counters. */
    public static final class Other implements OtherMBean {
        @Override
        public double getSomething() {
            return 1;
        }
    }

    private void register(String name) throws Exception {
        registered = new ObjectName(name);
        server.registerMBean(new Other(), registered);
    }

    @AfterEach
    void unregister() throws Exception {
        server.unregisterMBean(registered);
    }

    @Test
    void taskThatHasNotDroppedAnythingYetCountsNothing() throws Exception {
        register("kafka.streams:type=stream-task-metrics,thread-id=thread,task-id=0_0");

        assertThat(Counters.now().sums()).containsEntry("dropped-records", 0.0);
    }

    @Test
    void counterOfOursThatIsNotThereIsADefect() throws Exception {
        register("blobshuffle:type=blobshuffle-metrics,client-id=client");

        assertThatThrownBy(Counters::now).hasMessageContaining("docs/metrics.md");
    }
}
