package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.core.internal.combine.AutoCombining;
import dev.blobshuffle.core.internal.combine.CombineOptions;
import dev.blobshuffle.core.internal.combine.CombiningPolicy;
import dev.blobshuffle.core.internal.combine.CombiningRule;
import dev.blobshuffle.core.internal.combine.Hubs;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.simulator.SimulatedTime;
import java.time.Duration;

/**
 * The policy of a simulated instance: always, by chance, or the engine's own with short trials. It
 * counts how often the answer changes. Guarded by the simulation's baton.
 */
final class SwitchedCombining implements CombiningPolicy {
    private static final int SHARED = 4;

    private final CombiningPolicy policy;
    private boolean wasOn = true;
    private long switches;

    private SwitchedCombining(CombiningPolicy policy) {
        this.policy = policy;
    }

    /** A policy that the seed draws. */
    static SwitchedCombining drawn(SimulatedTime time, Time process, CombineOptions options, Hubs hubs) {
        return new SwitchedCombining(
                switch (time.random(3)) {
                    case 0 -> ALWAYS;
                    case 1 -> new ByChance(time, 1 + time.random(6));
                    default -> {
                        CombiningRule usual = CombiningRule.of(options);
                        CombiningRule rule = new CombiningRule(
                                usual.onBelow(),
                                usual.offFrom(),
                                1 + time.random(3),
                                Duration.ofMillis(100 + time.random(400)),
                                Duration.ofMillis(100 + time.random(900)));
                        yield new AutoCombining(
                                rule,
                                time.random(3) == 0 ? AutoCombining.Inlining.FIXED : AutoCombining.Inlining.SHARED,
                                hubs::isAnyUsable,
                                process,
                                decision -> {});
                    }
                });
    }

    long switches() {
        return switches;
    }

    @Override
    public boolean handsOver(long blobBytes) {
        boolean isOn = policy.handsOver(blobBytes);
        if (isOn != wasOn) {
            switches++;
            wasOn = isOn;
        }
        return isOn;
    }

    @Override
    public boolean inlines(long batchBytes, long alone) {
        return policy.inlines(batchBytes, alone);
    }

    @Override
    public void combined(long partBytes, long blobBytes) {
        policy.combined(partBytes, blobBytes);
    }

    @Override
    public void failed(long partBytes) {
        policy.failed(partBytes);
    }

    /** Switches before one in so many blobs. */
    private static final class ByChance implements CombiningPolicy {
        private final SimulatedTime time;
        private final int oneIn;
        private boolean isOn;

        ByChance(SimulatedTime time, int oneIn) {
            this.time = time;
            this.oneIn = oneIn;
        }

        @Override
        public boolean handsOver(long blobBytes) {
            isOn ^= time.random(oneIn) == 0;
            return isOn;
        }

        @Override
        public boolean inlines(long batchBytes, long alone) {
            return batchBytes < (isOn ? alone / SHARED : alone);
        }
    }
}
