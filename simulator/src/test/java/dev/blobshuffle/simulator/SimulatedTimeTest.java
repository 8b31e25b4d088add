package dev.blobshuffle.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SimulatedTimeTest {
    private static final long HOUR = Duration.ofHours(1).toNanos();

    @Test
    void timersRunInOrderOfVirtualTimeAndTakeNoRealTime() {
        try (SimulatedTime time = new SimulatedTime(1)) {
            List<String> ran = new ArrayList<>();
            long start = time.nanos();
            time.schedule(Duration.ofMinutes(30), () -> ran.add("late at " + (time.nanos() - start) / 1_000_000_000));
            time.schedule(Duration.ofSeconds(1), () -> ran.add("early"));
            time.schedule(Duration.ofSeconds(2), () -> ran.add("cancelled")).cancel();
            time.settle(Duration.ofHours(1));
            assertThat(ran).containsExactly("early", "late at 1800");
            assertThat(time.elapsed()).isEqualTo(Duration.ofHours(1));
        }
    }

    @Test
    void anActorWaitsForTheReportOfAnother() {
        for (long seed = 0; seed < 200; seed++) {
            try (SimulatedTime time = new SimulatedTime(seed)) {
                Signal signal = time.signal();
                List<String> log = new ArrayList<>();
                time.actor("waiter", () -> {
                    assertThat(signal.await(0, time.nanos() + HOUR)).isTrue();
                    log.add("woken");
                });
                time.actor("reporter", () -> {
                    time.pause(Duration.ofSeconds(1));
                    log.add("reports");
                    signal.raise();
                });
                time.run();
                assertThat(log).containsExactly("reports", "woken");
            }
        }
    }

    @Test
    void aWaitEndsAtItsDeadline() {
        try (SimulatedTime time = new SimulatedTime(3)) {
            Signal signal = time.signal();
            time.actor("waiter", () -> {
                long start = time.nanos();
                assertThat(signal.await(0, start + HOUR)).isFalse();
                assertThat(time.nanos() - start).isEqualTo(HOUR);
            });
            time.run();
        }
    }

    @Test
    void onlyOneActivityRunsAtATimeAndTheSeedDecidesTheOrder() {
        Set<String> orders = new HashSet<>();
        for (long seed = 0; seed < 100; seed++) {
            String order = interleaving(seed);
            assertThat(interleaving(seed)).isEqualTo(order);
            orders.add(order);
        }
        assertThat(orders).hasSizeGreaterThan(90);
    }

    private static String interleaving(long seed) {
        try (SimulatedTime time = new SimulatedTime(seed)) {
            StringBuilder order = new StringBuilder();
            AtomicInteger inside = new AtomicInteger();
            Time.Workers workers = time.workers("worker", 2);
            Signal signal = time.signal();
            for (String name : List.of("a", "b", "c")) {
                time.actor(name, () -> {
                    for (int i = 0; i < 5; i++) {
                        assertThat(inside.incrementAndGet()).isEqualTo(1);
                        order.append(name);
                        workers.execute(() -> {
                            order.append(name.toUpperCase(java.util.Locale.ROOT));
                            time.pause();
                            signal.raise();
                        });
                        inside.decrementAndGet();
                        signal.await(signal.count(), time.nanos() + 1_000_000);
                    }
                });
            }
            time.run();
            return order + " " + time.steps() + " " + time.trace();
        }
    }

    @Test
    void workersStartTasksInOrderAndNoMoreThanTheirThreadsAtOnce() {
        for (long seed = 0; seed < 100; seed++) {
            try (SimulatedTime time = new SimulatedTime(seed)) {
                Time.Workers workers = time.workers("worker", 3);
                List<Integer> started = new ArrayList<>();
                AtomicInteger running = new AtomicInteger();
                for (int i = 0; i < 20; i++) {
                    int number = i;
                    workers.execute(() -> {
                        started.add(number);
                        assertThat(running.incrementAndGet()).isLessThanOrEqualTo(3);
                        time.pause();
                        running.decrementAndGet();
                    });
                }
                time.settle(Duration.ofSeconds(1));
                assertThat(started).hasSize(20).isSorted();
            }
        }
    }

    @Test
    void aKilledProcessStopsWhereItWaitsAndLeavesTheOthersAlone() {
        try (SimulatedTime time = new SimulatedTime(5)) {
            SimulatedProcess victim = time.process("victim");
            List<String> log = new ArrayList<>();
            Signal signal = victim.signal();
            Actor actor = victim.actor("actor", () -> {
                try {
                    signal.await(0, victim.nanos() + HOUR);
                    log.add("went on");
                } finally {
                    log.add("unwound");
                }
            });
            victim.schedule(Duration.ofSeconds(2), () -> log.add("timer of the dead"));
            Time.Workers workers = victim.workers("worker", 1);
            time.schedule(Duration.ofSeconds(1), () -> {
                victim.kill();
                workers.execute(() -> log.add("task of the dead"));
            });
            time.actor("survivor", () -> {
                time.pause(Duration.ofSeconds(3));
                log.add("survivor");
            });
            time.run();
            assertThat(log).containsExactly("unwound", "survivor");
            assertThat(actor.isAlive()).isFalse();
            assertThat(victim.isAlive()).isFalse();
        }
    }

    @Test
    void aDeadlockIsReportedWithTheSeedAndWhoWaits() {
        try (SimulatedTime time = new SimulatedTime(77)) {
            Signal signal = time.signal();
            time.actor("left", () -> signal.await(0, time.nanos() + 100 * HOUR));
            assertThatThrownBy(time::run)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("seed 77")
                    .hasMessageContaining("world/left waits");
        }
    }

    @Test
    void aFailureOfAnActorATaskOrATimerFailsTheRun() {
        try (SimulatedTime time = new SimulatedTime(8)) {
            time.actor("actor", () -> {
                time.pause();
                throw new IllegalStateException("planted in an actor");
            });
            assertThatThrownBy(time::run).hasMessageContaining("seed 8").hasRootCauseMessage("planted in an actor");
        }
        try (SimulatedTime time = new SimulatedTime(8)) {
            time.schedule(Duration.ZERO, () -> {
                throw new IllegalStateException("planted in a timer");
            });
            time.actor("waiting", () -> time.pause(Duration.ofSeconds(1)));
            assertThatThrownBy(time::run).hasRootCauseMessage("planted in a timer");
        }
        try (SimulatedTime time = new SimulatedTime(8)) {
            time.workers("worker", 1).execute(() -> {
                throw new IllegalStateException("planted in a task");
            });
            time.actor("waiting", () -> time.pause(Duration.ofSeconds(1)));
            assertThatThrownBy(time::run).hasRootCauseMessage("planted in a task");
        }
    }

    @Test
    void aTimerThatWaitsIsRefused() {
        try (SimulatedTime time = new SimulatedTime(9)) {
            time.schedule(Duration.ZERO, time::pause);
            assertThatThrownBy(() -> time.settle(Duration.ofSeconds(1)))
                    .hasRootCauseInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void tasksThatStillWaitAreUnwoundAtTheEnd() {
        AtomicInteger unwound = new AtomicInteger();
        try (SimulatedTime time = new SimulatedTime(10)) {
            Signal signal = time.signal();
            Time.Workers workers = time.workers("worker", 3);
            for (int i = 0; i < 3; i++) {
                workers.execute(() -> {
                    try {
                        time.pause();
                        while (true) {
                            time.pause(Duration.ofSeconds(1));
                            signal.raise();
                        }
                    } finally {
                        unwound.incrementAndGet();
                    }
                });
            }
            time.actor("actor", () -> time.pause(Duration.ofMinutes(1)));
            time.run();
            assertThat(unwound).hasValue(0);
        }
        assertThat(unwound).hasValue(3);
    }

    @Test
    void threadsAreReusedOverSchedules() {
        Set<Thread> threads = new HashSet<>();
        long events = 0;
        for (long seed = 0; seed < 1000; seed++) {
            try (SimulatedTime time = new SimulatedTime(seed)) {
                for (int actor = 0; actor < 4; actor++) {
                    time.actor("actor-" + actor, () -> {
                        threads.add(Thread.currentThread());
                        for (int i = 0; i < 75; i++) {
                            time.pause();
                        }
                    });
                }
                time.run();
                events += time.steps();
            }
        }
        assertThat(events).isGreaterThan(300_000);
        assertThat(threads).hasSizeLessThanOrEqualTo(16);
    }
}
