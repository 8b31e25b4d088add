package dev.blobshuffle.testkit.internal.log.sweep;

import static dev.blobshuffle.testkit.internal.log.sweep.SweptLog.AT_ONCE;
import static dev.blobshuffle.testkit.internal.log.sweep.SweptLog.OLD;
import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.sweep.LogSweep;
import dev.blobshuffle.log.internal.sweep.LogSweepReport;
import dev.blobshuffle.testkit.internal.log.sweep.CrashingCalls.Crash;
import dev.blobshuffle.testkit.internal.log.sweep.CrashingCalls.Moment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A pass ends at any of its calls: the next ones lose no candidate and delete nothing needed. */
class LogSweepCrashTest {
    private static final int MOST_CALLS = 300;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource(Moment.class)
    void aCrashAtAnyCallOfTheFirstPassLosesNothing(Moment moment) throws Exception {
        assertThat(crashEverywhere(moment, 0)).isGreaterThan(10);
    }

    @ParameterizedTest
    @EnumSource(Moment.class)
    void aCrashAtAnyCallOfThePassThatDeletesLosesNothing(Moment moment) throws Exception {
        assertThat(crashEverywhere(moment, 1)).isGreaterThan(15);
    }

    /** @return at how many calls a pass crashed */
    private int crashEverywhere(Moment moment, int passesBefore) throws Exception {
        for (int call = 0; call < MOST_CALLS; call++) {
            if (!isCrashAt(call, moment, passesBefore)) {
                return call;
            }
        }
        throw new AssertionError("A pass made more than " + MOST_CALLS + " calls.");
    }

    private boolean isCrashAt(int call, Moment moment, int passesBefore) throws InterruptedException, IOException {
        Path place = Files.createDirectory(directory.resolve(moment + "-" + call));
        try (SweptLog swept = new SweptLog(place)) {
            LogTopic orders = swept.topic("orders");
            LogTopic bills = swept.topic("bills");
            BlobId needed = swept.orphan();
            swept.commit(needed, orders, bills);
            swept.commit(swept.orphan(), orders);
            BlobId orphan = swept.orphan();
            swept.pass(OLD);
            swept.delete(orders);
            for (int pass = 0; pass < passesBefore; pass++) {
                LogSweepReport ignored = swept.sweep();
                swept.pass(Duration.ofMinutes(2));
            }
            boolean isCrash = crash(swept, new CrashingCalls(call, moment));
            assertThat(swept.stored()).contains(needed);
            swept.pass(Duration.ofMinutes(45));
            swept.sweepAll();
            swept.sweepAll();
            assertThat(swept.stored())
                    .as("after call %d, orphan %s", call, orphan)
                    .containsExactly(needed);
            return isCrash;
        }
    }

    private static boolean crash(SweptLog swept, CrashingCalls calls) throws InterruptedException {
        CommitLog log = calls.wrap(CommitLog.class, swept.log);
        BlobStore store = calls.wrap(BlobStore.class, swept.store);
        try {
            LogSweepReport report = LogSweep.once(log, store, AT_ONCE, swept.time);
            assertThat(report.listed()).isNotNegative();
            return false;
        } catch (Crash e) {
            return calls.isCrashed();
        }
    }
}
