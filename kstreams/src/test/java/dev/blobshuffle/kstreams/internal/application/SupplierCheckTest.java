package dev.blobshuffle.kstreams.internal.application;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kstreams.internal.application.SupplierCheck.State;
import dev.blobshuffle.simulator.SimulatedTime;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import javax.management.JMException;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The check reports only while stream threads run and no supplier was configured, and it ends by
 * itself.
 */
class SupplierCheckTest {
    private final AtomicReference<List<String>> threads = new AtomicReference<>(List.of());
    private final SimulatedTime time = new SimulatedTime(1);
    private final SupplierCheck check = new SupplierCheck(time, threads::get);

    @AfterEach
    void endTime() {
        time.close();
    }

    @Test
    void streamThreadsWithoutSupplierAreReportedAndShownInJmx() throws Exception {
        check.start();
        threads.set(List.of("app-StreamThread-1", "app-StreamThread-2"));
        time.settle(SupplierCheck.INTERVAL);

        assertThat(check.state()).isEqualTo(State.REPORTED);
        assertThat(shown()).isEqualTo(2);

        check.configured("app");
        assertThat(check.state()).isEqualTo(State.ENDED);
        assertThat(ManagementFactory.getPlatformMBeanServer().isRegistered(bean()))
                .isFalse();
    }

    @Test
    void settingsThatAreOnlyReadAreNotReported() {
        check.start();
        time.settle(SupplierCheck.LIMIT.minusSeconds(1));
        assertThat(check.state()).isEqualTo(State.WATCHING);

        time.settle(SupplierCheck.INTERVAL.multipliedBy(2));
        assertThat(check.state()).isEqualTo(State.ENDED);

        threads.set(List.of("app-StreamThread-1"));
        time.settle(Duration.ofHours(1));
        assertThat(check.state()).isEqualTo(State.ENDED);
    }

    @Test
    void applicationThatStartsLongAfterItsSettingsWereReadIsReported() throws Exception {
        check.start();
        time.settle(Duration.ofMinutes(10));
        threads.set(List.of("late-StreamThread-1"));
        time.settle(SupplierCheck.INTERVAL);

        assertThat(check.state()).isEqualTo(State.REPORTED);
        check.configured("late");
    }

    @Test
    void configuredSupplierEndsTheCheck() {
        check.start();
        check.configured("app");
        threads.set(List.of("app-StreamThread-1"));
        time.settle(Duration.ofMinutes(1));

        assertThat(check.state()).isEqualTo(State.ENDED);
        assertThat(check.isConfigured("app")).isTrue();
        assertThat(check.isConfigured("other")).isFalse();
    }

    private static Object shown() throws JMException {
        return ManagementFactory.getPlatformMBeanServer().getAttribute(bean(), SupplierCheck.METRIC);
    }

    private static ObjectName bean() throws JMException {
        return new ObjectName("blobshuffle:type=blobshuffle-metrics");
    }
}
