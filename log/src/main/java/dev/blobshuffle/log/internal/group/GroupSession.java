package dev.blobshuffle.log.internal.group;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.failure.LogUnavailableException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One member's session in a consumer group. It joins, and renews its lease every three seconds on
 * timers, so a reader that works for long between two polls keeps its lease. If a reader does not
 * poll for too long, it counts as stopped even if its process runs: the session leaves, and joins
 * again with the next poll. While the log does not answer, the member keeps its partitions, because
 * only the log decides when a lease has ended. If the log answers and refuses, for example because
 * a password changed, the member waits for 30 seconds, and then reports the refusal until it ends.
 *
 * <pre>
 *   NEW ──start──▶ renewing ──close──▶ leaving (after the renewal under way) ──▶ left
 *                   │    ▲
 *       no poll for │    │ poll
 *       too long    ▼    │
 *                   absent
 * </pre>
 *
 * <p>The reader compares {@link #owned} with the partitions that it reads. A partition that is
 * missing, or has another generation, is lost. A wanted partition must be finished, committed and
 * released. Thread-safe.
 */
public final class GroupSession {
    /** The time between two renewals. */
    public static final Duration RENEWAL = Duration.ofSeconds(3);

    private static final Logger LOG = LoggerFactory.getLogger(GroupSession.class);
    private static final Duration RETRY = Duration.ofMillis(500);

    /** A new password, or a restored right, arrives in this time if it is on its way. */
    private static final Duration REFUSED = Duration.ofSeconds(30);

    private final Groups groups;
    private final Member member;
    private final Time time;
    private final Runnable whenChanged;
    private final Duration longestAbsence;
    private final CompletableFuture<Void> left = new CompletableFuture<>();
    private final Object lock = new Object();

    /** Guarded by the lock, like everything below. */
    private final Set<LogPartition> releasing = new TreeSet<>();

    private Map<LogPartition, OwnedPartition> owned = Map.of();
    private Set<Integer> absent = Set.of();
    private @Nullable RuntimeException failure;
    private Time.@Nullable Cancellable timer;
    private boolean hasJoined;
    private boolean isRenewing;
    private boolean isRenewalWanted;
    private boolean isSilent;

    /** The first refusal since the last renewal. */
    private OptionalLong refusedNanos = OptionalLong.empty();

    private boolean isLeaving;
    private boolean isAbsent;
    private long polledNanos;

    /**
     * A member that has not joined yet.
     *
     * @param groups the log's groups
     * @param longestAbsence the longest time between two calls of {@link #polled}
     * @param whenChanged called on any thread after a renewal that changed something, or failed;
     *     must not block
     */
    public GroupSession(Groups groups, Member member, Duration longestAbsence, Time time, Runnable whenChanged) {
        this.groups = groups;
        this.member = member;
        this.time = time;
        this.whenChanged = whenChanged;
        this.longestAbsence = longestAbsence;
        polledNanos = time.nanos();
    }

    /** Joins the group, in the background. */
    public void start() {
        renewSoon();
    }

    /** Reports that the reader polls. Joins again after an absence. */
    public void polled() {
        long now = time.nanos();
        synchronized (lock) {
            polledNanos = now;
            if (!isAbsent || isLeaving) {
                return;
            }
            isAbsent = false;
            releasing.clear();
            LOG.info("A member of group '{}' polls again, and joins again.", member.group());
        }
        renewSoon();
    }

    /** The member. */
    public Member member() {
        return member;
    }

    /** Whether the group has answered. */
    public boolean hasJoined() {
        synchronized (lock) {
            return hasJoined;
        }
    }

    /**
     * The member's partitions according to the last renewal, without those that it has released
     * since.
     *
     * @throws RuntimeException the group refused the last renewal
     */
    public Map<LogPartition, OwnedPartition> owned() {
        synchronized (lock) {
            if (failure != null) {
                throw failure;
            }
            return owned;
        }
    }

    /** Numbers of the member's topics that no longer exist, according to the last renewal. */
    public Set<Integer> absent() {
        synchronized (lock) {
            return absent;
        }
    }

    /** Gives partitions back, by a renewal that starts now. Their positions must be committed. */
    public void release(Collection<LogPartition> partitions) {
        synchronized (lock) {
            releasing.addAll(partitions);
            Map<LogPartition, OwnedPartition> kept = new HashMap<>(owned);
            kept.keySet().removeAll(partitions);
            owned = Map.copyOf(kept);
        }
        renewSoon();
    }

    private void renewSoon() {
        synchronized (lock) {
            isRenewalWanted = true;
            if (isRenewing) {
                return;
            }
            stopTimer();
        }
        renew();
    }

    private void renew() {
        Set<LogPartition> released;
        boolean isGone;
        long now = time.nanos();
        synchronized (lock) {
            timer = null;
            if (isLeaving || isRenewing || isAbsent) {
                return;
            }
            isRenewing = true;
            isRenewalWanted = false;
            released = Set.copyOf(releasing);
            isAbsent = now - polledNanos > longestAbsence.toNanos();
            isGone = isAbsent;
            if (isGone) {
                owned = Map.of();
            }
        }
        if (isGone) {
            leaveForNow();
            return;
        }
        var ignored = ask(() -> groups.renew(member, released)).whenComplete((lease, thrown) -> {
            boolean isLast = thrown == null ? renewed(lease, released) : failed(thrown);
            if (isLast) {
                leave();
            } else {
                whenChanged.run();
            }
        });
    }

    /** Leaves in place of a renewal. If the log does not answer, the lease ends by itself. */
    private void leaveForNow() {
        LOG.warn(
                "A member of group '{}' has not polled for {} ms and leaves; its partitions go to others. It joins"
                        + " again when it polls. Poll more often, take fewer records per poll, or give the"
                        + " subscription a longer maxPollInterval.",
                member.group(),
                longestAbsence.toMillis());
        var ignored = ask(() -> groups.leave(member)).whenComplete((done, thrown) -> {
            boolean isLast;
            boolean isBack;
            synchronized (lock) {
                isRenewing = false;
                isLast = isLeaving;
                isBack = isRenewalWanted && !isAbsent;
            }
            if (isLast) {
                leave();
            } else if (isBack) {
                renew();
            }
        });
        whenChanged.run();
    }

    private static <T> CompletionStage<T> ask(Supplier<CompletionStage<T>> call) {
        try {
            return call.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Returns whether the member leaves now. */
    private boolean renewed(Lease lease, Set<LogPartition> released) {
        synchronized (lock) {
            if (isSilent) {
                LOG.info("The lease of group '{}' is renewed again.", member.group());
            }
            isSilent = false;
            refusedNanos = OptionalLong.empty();
            isRenewing = false;
            hasJoined = true;
            failure = null;
            releasing.removeAll(released);
            Map<LogPartition, OwnedPartition> now = new HashMap<>();
            for (OwnedPartition each : lease.owned()) {
                if (!releasing.contains(each.partition())) {
                    now.put(each.partition(), each);
                }
            }
            owned = Map.copyOf(now);
            absent = lease.absent();
            renewAgainIn(RENEWAL);
            return isLeaving;
        }
    }

    private boolean failed(Throwable thrown) {
        Throwable cause =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        synchronized (lock) {
            isRenewing = false;
            if (!isWaitedFor(cause)) {
                failure = cause instanceof RuntimeException known ? known : new IllegalStateException(cause);
            } else if (!isSilent && !isLeaving) {
                isSilent = true;
                LOG.warn(
                        "The lease of group '{}' is not renewed; trying again until it is: {}",
                        member.group(),
                        cause.getMessage());
            }
            renewAgainIn(RETRY);
            return isLeaving;
        }
    }

    /** Under the lock. */
    private boolean isWaitedFor(Throwable cause) {
        if (cause instanceof InvalidSettingsException && hasJoined) {
            long now = time.nanos();
            if (refusedNanos.isEmpty()) {
                refusedNanos = OptionalLong.of(now);
            }
            return now - refusedNanos.getAsLong() < REFUSED.toNanos();
        }
        return cause instanceof LogUnavailableException;
    }

    private void renewAgainIn(Duration wait) {
        if (isLeaving) {
            return;
        }
        try {
            timer = time.schedule(isRenewalWanted ? Duration.ZERO : wait, this::renew);
        } catch (ClosedException e) {
            isLeaving = true; // the process ends
        }
    }

    private void stopTimer() {
        Time.Cancellable waiting = timer;
        timer = null;
        if (waiting != null) {
            waiting.cancel();
        }
    }

    /**
     * Leaves the group. Waits for a renewal in flight, which would otherwise join again.
     *
     * @return completes when the log has removed the member; fails if the log does not answer: then
     *     the lease ends by itself
     */
    public CompletionStage<Void> close() {
        boolean isNow;
        synchronized (lock) {
            isNow = !isLeaving && !isRenewing;
            isLeaving = true;
            owned = Map.of();
            stopTimer();
        }
        if (isNow) {
            leave();
        }
        return left.copy();
    }

    private void leave() {
        var ignored = ask(() -> groups.leave(member)).whenComplete((done, thrown) -> {
            if (thrown == null) {
                left.complete(null);
            } else {
                left.completeExceptionally(thrown);
            }
        });
    }

    /** The failure of the last renewal, if the log has not answered since. */
    public Optional<RuntimeException> failure() {
        synchronized (lock) {
            return Optional.ofNullable(failure);
        }
    }
}
