package dev.blobshuffle.core.internal.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Instances that users of a process share. */
class SharedInstancesTest {
    private final SharedInstances<String, Instance> instances = new SharedInstances<>();
    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();

    private class Instance implements AutoCloseable {
        Instance() {
            opened.incrementAndGet();
        }

        @Override
        public void close() {
            closed.incrementAndGet();
        }
    }

    @Test
    void firstUserOpensAndLastOneCloses() {
        SharedInstances.Share<Instance> one = instances.acquire("a", Instance::new);
        SharedInstances.Share<Instance> two = instances.acquire("a", Instance::new);
        SharedInstances.Share<Instance> other = instances.acquire("b", Instance::new);
        assertThat(two.instance()).isSameAs(one.instance()).isNotSameAs(other.instance());
        assertThat(opened).hasValue(2);
        assertThat(instances.count()).isEqualTo(2);
        one.close();
        one.close();
        assertThat(closed).hasValue(0);
        two.close();
        assertThat(closed).hasValue(1);
        other.close();
        assertThat(instances.count()).isZero();
        instances.acquire("a", Instance::new).close();
        assertThat(opened).hasValue(3);
        assertThat(closed).hasValue(3);
    }

    @Test
    void openingThatFailsLeavesNothing() {
        assertThatThrownBy(() -> instances.acquire("a", () -> {
                    throw new IllegalStateException("no store");
                }))
                .hasMessage("no store");
        assertThat(instances.count()).isZero();
        instances.acquire("a", Instance::new).close();
        assertThat(opened).hasValue(1);
    }

    @Test
    void closingThatFailsLeavesNothing() {
        SharedInstances.Share<Instance> share = instances.acquire("a", () -> new Instance() {
            @Override
            public void close() {
                throw new IllegalStateException("stuck");
            }
        });
        assertThatThrownBy(share::close).hasMessage("stuck");
        assertThat(instances.count()).isZero();
    }

    /** A user that arrives during the close waits for it; users of other keys do not. */
    @Test
    void instanceIsOpenedAgainWhileItCloses() throws Exception {
        CountDownLatch closing = new CountDownLatch(1);
        CountDownLatch mayClose = new CountDownLatch(1);
        SharedInstances.Share<Instance> first = instances.acquire("a", () -> new Instance() {
            @Override
            public void close() {
                closing.countDown();
                try {
                    assertThat(mayClose.await(1, TimeUnit.MINUTES)).isTrue();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                super.close();
            }
        });
        CompletableFuture<Void> close = CompletableFuture.runAsync(first::close);
        assertThat(closing.await(1, TimeUnit.MINUTES)).isTrue();
        instances.acquire("b", Instance::new).close();
        AtomicInteger closedBefore = new AtomicInteger();
        AtomicBoolean areSame = new AtomicBoolean();
        Thread user = new Thread(() -> {
            try (SharedInstances.Share<Instance> share = instances.acquire("a", () -> {
                closedBefore.set(closed.get());
                return new Instance();
            })) {
                try (SharedInstances.Share<Instance> third = instances.acquire("a", Instance::new)) {
                    areSame.set(third.instance() == share.instance() && share.instance() != first.instance());
                }
            }
        });
        user.start();
        while (user.getState() != Thread.State.BLOCKED) {
            Thread.onSpinWait();
        }
        mayClose.countDown();
        user.join(60_000);
        close.get(1, TimeUnit.MINUTES);
        assertThat(closedBefore).as("closed before it was opened again").hasValue(2);
        assertThat(areSame).as("those that came later share it").isTrue();
        assertThat(opened).hasValue(3);
        assertThat(closed).hasValue(3);
        assertThat(instances.count()).isZero();
    }
}
