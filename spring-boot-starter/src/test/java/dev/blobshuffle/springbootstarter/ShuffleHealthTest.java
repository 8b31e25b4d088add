package dev.blobshuffle.springbootstarter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.instance.RunningInstance;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.metrics.Answers;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.metrics.LabelledMetrics;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.springbootstarter.ShuffleHealth.Level;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ShuffleHealthTest {
    private final SystemTime time = new SystemTime();
    private final ShuffleMetrics metrics = new ShuffleMetrics();

    @AfterEach
    void close() {
        time.close();
    }

    private ShuffleHealth health() {
        RunningInstance instance = new RunningInstance(
                new LabelledMetrics(Map.of("application", "orders", "engine", "1", "zone", "a"), metrics),
                new MemoryBlobStore("health", 1 << 20),
                Membership.none(),
                time,
                Optional.empty());
        return ShuffleHealth.of(List.of(instance), List.of());
    }

    @Test
    void anInstanceWhoseStoreAnswersIsUp() {
        assertThat(health().level()).isEqualTo(Level.UP);
        assertThat(health().details())
                .extractingByKey("orders-1", InstanceOfAssertFactories.MAP)
                .containsEntry("storeReachable", true)
                .containsEntry("membershipConnected", true)
                .containsEntry("zone", "a")
                .doesNotContainKey("lastFailure");
    }

    @Test
    void anOpenCircuitIsDownAndTheLastFailureIsShown() {
        metrics.failed(new IllegalStateException("no route to host"));
        assertThat(health().level()).as("one failure ends by a retry").isEqualTo(Level.UP);

        metrics.report(Gauge.STORE_CIRCUITS_OPEN, () -> 1);
        assertThat(health().level()).isEqualTo(Level.DOWN);
        assertThat(health().details())
                .extractingByKey("orders-1", InstanceOfAssertFactories.MAP)
                .containsEntry("storeReachable", false)
                .hasEntrySatisfying(
                        "lastFailure", text -> assertThat(text.toString()).contains("no route to host"));
    }

    @Test
    void aCommitLogThatDoesNotAnswerIsDownAndIsNamed() {
        AtomicLong nanos = new AtomicLong();
        Answers answers = new Answers(nanos::get);
        RunningInstance messaging = new RunningInstance(
                        new LabelledMetrics(Map.of("engine", "2"), metrics),
                        new MemoryBlobStore("health", 1 << 20),
                        Membership.none(),
                        time,
                        Optional.empty())
                .over(new RunningInstance.Log("postgresql://db/app", answers));
        answers.failed(new IllegalStateException("connection refused"));
        assertThat(ShuffleHealth.of(List.of(messaging), List.of()).level())
                .as("one failure ends by a retry")
                .isEqualTo(Level.UP);

        nanos.addAndGet(Duration.ofSeconds(11).toNanos());
        answers.failed(new IllegalStateException("connection refused again"));
        ShuffleHealth down = ShuffleHealth.of(List.of(messaging), List.of());
        assertThat(down.level()).isEqualTo(Level.DOWN);
        assertThat(down.details())
                .extractingByKey("messaging-2", InstanceOfAssertFactories.MAP)
                .containsEntry("log", "postgresql://db/app")
                .containsEntry("logReachable", false)
                .containsEntry("storeReachable", true)
                .hasEntrySatisfying(
                        "lastLogFailure", text -> assertThat(text.toString()).contains("refused again"));

        answers.answered();
        answers.failed(
                new IllegalStateException("timed out"),
                nanos.get() - Duration.ofSeconds(26).toNanos());
        assertThat(ShuffleHealth.of(List.of(messaging), List.of()).level())
                .as("a call that waited for long")
                .isEqualTo(Level.DOWN);

        answers.answered();
        assertThat(ShuffleHealth.of(List.of(messaging), List.of()).level()).isEqualTo(Level.UP);
    }

    @Test
    void anApplicationThatRunsNativelyIsDown() {
        ShuffleHealth health = ShuffleHealth.of(List.of(), List.of("orders"));
        assertThat(health.level()).isEqualTo(Level.DOWN);
        assertThat(health.details()).containsEntry("runningNatively", List.of("orders"));
        assertThat(ShuffleHealth.of(List.of(), List.of()).level()).isEqualTo(Level.UNKNOWN);
    }
}
