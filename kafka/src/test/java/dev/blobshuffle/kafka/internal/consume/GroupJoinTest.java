package dev.blobshuffle.kafka.internal.consume;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.simulator.SimulatedProcess;
import dev.blobshuffle.simulator.SimulatedTime;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.errors.InconsistentGroupProtocolException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GroupJoinTest {
    /** Its clock starts 1.97 s before the overflow. */
    private static final long SEED = 10;

    private final AtomicInteger attempts = new AtomicInteger();

    @SuppressWarnings("unchecked") // The proxy implements it.
    private Consumer<byte[], byte[]> refused() {
        return (Consumer<byte[], byte[]>) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Consumer.class}, (proxy, method, arguments) -> {
                    attempts.incrementAndGet();
                    throw new InconsistentGroupProtocolException("A native member is there.");
                });
    }

    @ParameterizedTest
    @ValueSource(ints = {300, 1500})
    void waitsForASecondAlsoWhereTheClockOverflows(int millisBefore) {
        try (SimulatedTime time = new SimulatedTime(SEED)) {
            SimulatedProcess process = time.process("p");
            process.actor("poller", () -> {
                time.pause(Duration.ofNanos(Long.MAX_VALUE - process.nanos() - millisBefore * 1_000_000L));
                GroupJoin join = new GroupJoin(refused(), "c", process);
                assertThat(join.poll(Duration.ofHours(1)).isEmpty()).isTrue();
                Duration before = time.elapsed();
                assertThat(join.poll(Duration.ofHours(1)).isEmpty()).isTrue();
                assertThat(time.elapsed().minus(before)).isEqualTo(Duration.ofSeconds(1));
                assertThat(attempts).hasValue(1);
                assertThat(join.poll(Duration.ofHours(1)).isEmpty()).isTrue();
                assertThat(attempts).hasValue(2);
            });
            time.run();
        }
    }
}
