package dev.blobshuffle.bench.cloud;

import dev.blobshuffle.bench.store.FittedProfile;
import dev.blobshuffle.bench.store.RequestTimer;
import dev.blobshuffle.bench.store.RequestTimes;
import dev.blobshuffle.cli.doctor.StoreTrial;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.pricing.LiveCost;
import dev.blobshuffle.core.internal.pricing.PriceTable;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.store.StoreFinding;
import dev.blobshuffle.core.store.StoreFinding.Level;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.planner.LatencyModel;
import dev.blobshuffle.planner.LatencyProfile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * Checks a bucket with everything that an application does to it, below a prefix of its own:
 * doctor's checks, the contract, a shuffle, and a latency profile. In the end it deletes everything
 * that it wrote, also after a failure or a signal. Owned by one thread.
 */
public final class CloudCheck {
    private static final List<Integer> MEBIBYTES = List.of(1, 4);
    private static final double MEBIBYTE = 1 << 20;

    private final TrialStore store;
    private final CloudCheckPlan plan;
    private final Time time;
    private final Consumer<String> progress;
    private final Map<Level, Integer> counts = new EnumMap<>(Level.class);
    private final List<String[]> rows = new ArrayList<>();
    private volatile @Nullable TrialShuffle running;
    private volatile boolean isEnding;
    private volatile boolean isMade;
    private boolean isOver; // guarded by this

    /**
     * A check of a place.
     *
     * @param given URI of the place, as in {@code blobshuffle.store}
     * @param progress receives a line for each result
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: the URI names no bucket
     *     of an object store
     */
    public CloudCheck(String given, CloudCheckPlan plan, Time time, Consumer<String> progress) {
        store = TrialStore.below(given, time);
        this.plan = plan;
        this.time = time;
        this.progress = progress;
    }

    /**
     * Runs everything.
     *
     * @return whether no check failed and nothing is left
     */
    public boolean run() throws InterruptedException, IOException {
        Thread hook = new Thread(this::interrupt, "cloud-check-clean-up");
        Runtime.getRuntime().addShutdownHook(hook);
        try (store) {
            try {
                check();
            } finally {
                end();
            }
        } finally {
            removeHook(hook);
        }
        int errors = counts.getOrDefault(Level.ERROR, 0);
        int warnings = counts.getOrDefault(Level.WARNING, 0);
        rows.add(0, new String[] {
            "checks", counts.getOrDefault(Level.OK, 0) + " ok, " + warnings + " warnings, " + errors + " errors"
        });
        progress.accept("");
        rows.forEach(row -> progress.accept(String.format(Locale.ROOT, "%-9s %s", row[0], row[1])));
        return errors == 0;
    }

    private static void removeHook(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is ending. The hook runs and finds nothing to do.
        }
    }

    private void check() throws InterruptedException, IOException {
        progress.accept("Checking " + store.place());
        if (!tryStore()) {
            return;
        }
        progress.accept("Shuffling " + TrialShuffle.RECORDS + " records through a broker of this machine");
        shuffle();
        progress.accept("Timing " + plan.requests() + " puts and gets of 1 MiB, and of 4 MiB");
        measure();
    }

    /** Whether the store can be used at all. */
    private boolean tryStore() throws InterruptedException {
        int before = counts.getOrDefault(Level.ERROR, 0);
        try (BlobStore opened = store.open(StoreContext.unmetered(time))) {
            isMade = true;
            StoreTrial.run(opened, time, plan.timeout(), this::report);
        } catch (BlobShuffleException e) {
            report(StoreTrial.failed("open", e));
        }
        return counts.getOrDefault(Level.ERROR, 0) == before;
    }

    private void shuffle() {
        long puts = store.metrics().value(Counter.PUTS);
        try (TrialShuffle shuffle = TrialShuffle.start(store.uri(), time)) {
            running = shuffle;
            shuffle.run();
            report(StoreFinding.ok(
                    "shuffle", "each committed record came once and in order, and none of the aborted transaction"));
            rows.add(new String[] {
                "shuffle",
                String.format(
                        Locale.ROOT,
                        "%,d records, %.1f MiB, with %d puts",
                        TrialShuffle.RECORDS,
                        TrialShuffle.RECORDS * TrialShuffle.RECORD_BYTES / MEBIBYTE,
                        store.metrics().value(Counter.PUTS) - puts)
            });
        } catch (BlobShuffleException | KafkaException | IllegalStateException e) {
            report(StoreTrial.failed("shuffle", e.getCause() instanceof BlobShuffleException cause ? cause : e));
        }
    }

    private void measure() throws IOException {
        try {
            RequestTimes times = new RequestTimer(store.uri(), MEBIBYTES, plan.requests(), progress).run();
            LatencyProfile fitted = FittedProfile.of(times);
            rows.add(new String[] {"put", text(fitted.put())});
            rows.add(new String[] {"get", text(fitted.get())});
            if (plan.profile().isPresent()) {
                Path file = plan.profile().get();
                times.write(file);
                rows.add(new String[] {"profile", file.toString()});
            }
        } catch (BlobShuffleException | IllegalStateException e) {
            report(StoreTrial.failed("latency", e));
        } catch (CompletionException e) {
            report(StoreTrial.failed("latency", e.getCause() == null ? e : e.getCause()));
        }
    }

    private static String text(Optional<LatencyModel> model) {
        return model.map(each -> String.format(
                        Locale.ROOT,
                        "1 MiB: %.0f ms at the median, %.0f ms at p95; 16 MiB by the model: %.0f and %.0f ms",
                        each.quantileMillis(MEBIBYTE, 0.5),
                        each.quantileMillis(MEBIBYTE, 0.95),
                        each.quantileMillis(16 * MEBIBYTE, 0.5),
                        each.quantileMillis(16 * MEBIBYTE, 0.95)))
                .orElse("not measured");
    }

    /** Reports a finding. Ignores it while the JVM is ending, because the end causes failures. */
    private void report(StoreFinding finding) {
        if (isEnding) {
            return;
        }
        int ignored = counts.merge(finding.level(), 1, Integer::sum);
        progress.accept(String.format(
                Locale.ROOT,
                "  %-7s %s: %s.%s",
                finding.level() == Level.OK ? "ok" : finding.level(),
                finding.subject(),
                finding.what(),
                finding.remedy().map(remedy -> "\n          -> " + remedy).orElse("")));
    }

    /** Cleans up when the JVM ends early, as after a signal. */
    private void interrupt() {
        isEnding = true;
        try {
            end();
        } finally {
            TrialShuffle shuffle = running;
            if (shuffle != null) {
                shuffle.close();
            }
        }
    }

    /** Deletes everything that the check wrote. Only the first call has an effect. */
    private synchronized void end() {
        if (isOver) {
            return;
        }
        isOver = true;
        if (!isMade) {
            eraseUnopened();
            return;
        }
        progress.accept("Deleting what was written");
        try {
            int count = store.erase();
            rows.add(cost());
            rows.add(new String[] {"clean-up", count + " objects deleted, nothing is left of this check"});
        } catch (BlobShuffleException e) {
            report(StoreTrial.failed("clean-up", e));
            String left = "something may be left: delete everything below " + store.place();
            rows.add(cost());
            rows.add(new String[] {"clean-up", left});
            if (isEnding) {
                progress.accept(e.getMessage() + " " + left);
            }
        }
    }

    /**
     * Erases a store that could not be opened. The failure was reported, and usually nothing is
     * stored.
     */
    private void eraseUnopened() {
        try {
            int ignored = store.erase();
        } catch (BlobShuffleException e) {
            progress.accept("Cannot erase " + store.place() + ": " + e.getMessage()
                    + " If there is a marker of the store, delete it.");
        }
    }

    private String[] cost() {
        ShuffleMetrics metrics = store.metrics();
        String requests = String.format(
                Locale.ROOT,
                "%d puts, %d gets, %d heads, %d lists, %d deletes, %.0f MiB up, %.0f MiB down",
                metrics.value(Counter.PUTS),
                metrics.value(Counter.GETS),
                metrics.value(Counter.HEADS),
                metrics.value(Counter.LISTS),
                metrics.value(Counter.DELETES),
                metrics.value(Counter.BYTES_SENT) / MEBIBYTE,
                metrics.value(Counter.BYTES_FETCHED) / MEBIBYTE);
        Optional<PriceTable> prices = plan.prices();
        return new String[] {
            "cost",
            requests
                    + prices.map(table -> String.format(
                                    Locale.ROOT,
                                    ": %.4f USD by the prices of %s, %s",
                                    LiveCost.storeUsd(metrics, table),
                                    table.name(),
                                    table.date()))
                            .orElse("; no list prices for this endpoint, see --prices")
        };
    }
}
