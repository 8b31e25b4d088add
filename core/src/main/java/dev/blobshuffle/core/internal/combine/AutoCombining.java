package dev.blobshuffle.core.internal.combine;

import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Combines while it pays: {@code combine.enabled=auto}.
 *
 * <pre>
 *   NO_HUB ◀──────── no hub for a minute ───────────┐
 *   LARGE_BLOBS ◀─── blobs of 4 MiB or more ────────┤ from each state
 *     │ hub, blobs below 2 MiB
 *     ▼
 *   ON_TRIAL ──10 parts: combined blobs have 1.5 times the bytes──▶ ON
 *     │ ▲                                                            │
 *     │ └──── next multiple of 5 minutes ──── ALONE, SMALL_BATCHES ◀─┤ less than 1.5 times,
 *     └──10 parts: less ─────────────────────────▲                   │ all batches inlined
 *                                                └───────────────────┘
 * </pre>
 *
 * <p>Only a trial shows what sharing saves, because an instance does not know the loads of others,
 * and they share only if they try at the same time. So trials begin at multiples of the interval by
 * the wall clock. In a trial, batches are handed over that would be inlined if stored by
 * themselves. After it, they are inlined if they are smaller than their share of a blob that breaks
 * even.
 *
 * <p>Thread-safe: the monitor guards the state. It is held during calls of the hub's supplier and
 * of the listener, which must not block.
 */
public final class AutoCombining implements CombiningPolicy {
    /** The weight of a new value in averages. */
    private static final double WEIGHT = 0.1;

    /** Inlined batches in a row after which combining counts as unused. */
    private static final int UNUSED = 20;

    private final CombiningRule rule;
    private final Inlining inlining;
    private final BooleanSupplier hasHub;
    private final Time time;
    private final Consumer<CombiningDecision> listener;

    /** Guarded by this, like the fields below. */
    private CombiningDecision decision = CombiningDecision.NO_HUB;

    private CombiningDecision reported = CombiningDecision.ON_TRIAL;
    private double meanBytes;
    private double partBytes;
    private double combinedBytes;
    private int parts;
    private int inlined;

    /** When a hub was first missing or failed after the last part that one combined. */
    private Optional<Long> troubledSince = Optional.empty();

    private long retryAt;

    /** Whether combining changes the size below which batches are inlined. */
    public enum Inlining {
        /** The size is the user's, or has another reason than requests. */
        FIXED,
        /** The requests of a combined blob are shared. */
        SHARED
    }

    /**
     * A policy that has not begun to combine.
     *
     * @param hasHub whether a member of the zone may be asked; must not block
     * @param listener receives each decision that differs from the one before, except trials; must
     *     only enqueue
     */
    public AutoCombining(
            CombiningRule rule,
            Inlining inlining,
            BooleanSupplier hasHub,
            Time time,
            Consumer<CombiningDecision> listener) {
        this.rule = rule;
        this.inlining = inlining;
        this.hasHub = hasHub;
        this.time = time;
        this.listener = listener;
    }

    /** The current decision. */
    public synchronized CombiningDecision decision() {
        return decision;
    }

    @Override
    public synchronized boolean handsOver(long blobBytes) {
        inlined = 0;
        observe(blobBytes);
        decide();
        return decision.isOn();
    }

    @Override
    public synchronized boolean inlines(long batchBytes, long alone) {
        if (batchBytes >= inlineBytes(alone)) {
            return false;
        }
        observe(batchBytes);
        inlined++;
        decide();
        return batchBytes < inlineBytes(alone); // A trial may have begun.
    }

    private double inlineBytes(long alone) {
        if (inlining == Inlining.FIXED || !decision.isOn() || !hasHub.getAsBoolean()) {
            return alone;
        }
        return decision == CombiningDecision.ON_TRIAL
                ? CombiningRule.leastInlineBytes(alone)
                : CombiningRule.inlineBytes(alone, sharing());
    }

    @Override
    public synchronized void combined(long bytes, long ofBlob) {
        troubledSince = Optional.empty();
        ended(bytes, ofBlob);
    }

    @Override
    public synchronized void failed(long bytes) {
        troubled();
        ended(bytes, bytes);
    }

    private void troubled() {
        if (troubledSince.isEmpty()) {
            troubledSince = Optional.of(time.nanos());
        }
    }

    private void ended(long bytes, long combined) {
        partBytes += WEIGHT * (bytes - partBytes);
        combinedBytes += WEIGHT * (combined - combinedBytes);
        parts++;
        decide();
    }

    private void observe(long bytes) {
        meanBytes = meanBytes == 0 ? bytes : meanBytes + WEIGHT * (bytes - meanBytes);
    }

    /** Bytes of a combined blob for each byte of a part, on average. */
    private double sharing() {
        return partBytes == 0 ? 1 : combinedBytes / partBytes;
    }

    private void decide() {
        CombiningDecision before = decision;
        decision = next();
        if (decision == CombiningDecision.ON_TRIAL && before != decision) {
            partBytes = 0;
            combinedBytes = 0;
            parts = 0;
            inlined = 0;
        }
        if (decision != before) {
            retryAt = time.nanos() + untilRetry().toNanos();
        }
        boolean isKnown = decision != CombiningDecision.ON_TRIAL && !isStarting();
        if (isKnown && decision != reported) {
            reported = decision;
            listener.accept(decision);
        }
    }

    /** Whether no hub has been found so far, and it is too early to say that there is none. */
    private boolean isStarting() {
        return decision == CombiningDecision.NO_HUB && !isWithoutHub();
    }

    private boolean isWithoutHub() {
        return troubledSince
                .filter(since -> time.nanos() - since >= rule.withoutHub().toNanos())
                .isPresent();
    }

    private CombiningDecision next() {
        boolean isHubKnown = hasHub.getAsBoolean();
        if (!isHubKnown) {
            troubled();
        } else if (!decision.isOn() && decision != CombiningDecision.NO_HUB) {
            troubledSince = Optional.empty(); // No part is on its way that could show more.
        }
        if (meanBytes >= (decision.isOn() ? rule.offFrom() : rule.onBelow())) {
            return CombiningDecision.LARGE_BLOBS;
        }
        if (!isHubKnown && isWithoutHub()) {
            return CombiningDecision.NO_HUB;
        }
        return switch (decision) {
            case ON -> judged(CombiningDecision.ON);
            case ON_TRIAL ->
                parts < rule.trialParts() ? ifUsed(CombiningDecision.ON_TRIAL) : judged(CombiningDecision.ON);
            case ALONE, SMALL_BATCHES -> time.nanos() - retryAt >= 0 ? CombiningDecision.ON_TRIAL : decision;
            default -> isHubKnown ? CombiningDecision.ON_TRIAL : CombiningDecision.NO_HUB;
        };
    }

    private CombiningDecision judged(CombiningDecision good) {
        return sharing() < CombiningRule.LEAST_SHARING ? CombiningDecision.ALONE : ifUsed(good);
    }

    private CombiningDecision ifUsed(CombiningDecision good) {
        return inlined >= UNUSED ? CombiningDecision.SMALL_BATCHES : good;
    }

    /** The time until all instances try again, if their clocks agree. */
    private Duration untilRetry() {
        long interval = rule.retry().toMillis();
        return Duration.ofMillis(interval - Math.floorMod(time.wallMillis(), interval));
    }
}
