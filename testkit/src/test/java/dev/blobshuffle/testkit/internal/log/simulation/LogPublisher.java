package dev.blobshuffle.testkit.internal.log.simulation;

import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.log.failure.BlobExpiredException;
import dev.blobshuffle.log.failure.LogUnavailableException;
import dev.blobshuffle.log.failure.LogWentBackException;
import dev.blobshuffle.log.failure.OutcomeUnknownException;
import dev.blobshuffle.log.failure.WriterFencedException;
import dev.blobshuffle.log.internal.LogBatch;
import dev.blobshuffle.log.internal.Writer;
import dev.blobshuffle.simulator.SimulatedProcess;
import dev.blobshuffle.testkit.internal.log.Answers;
import dev.blobshuffle.testkit.internal.log.MemoryLog;
import dev.blobshuffle.testkit.internal.log.simulation.LogLedger.Fate;
import dev.blobshuffle.testkit.internal.log.simulation.LogLedger.Row;
import dev.blobshuffle.testkit.internal.log.simulation.LogLedger.Sent;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * One incarnation of a publisher: uploads blobs, commits batches that refer to them, repeats what
 * was not answered, and ends when a successor fences it. Guarded by the baton.
 */
final class LogPublisher {
    private static final int KEYS = 3;

    private final LogWorld world;
    private final SimulatedProcess process;
    private final MemoryLog log;
    private final SequencingLoop sequencing;
    private final String name;
    private final int incarnation;
    private Writer writer;
    private long number;
    private int commits;

    LogPublisher(LogWorld world, SimulatedProcess process, MemoryLog log, String name, int incarnation) {
        this.world = world;
        this.process = process;
        this.log = log;
        this.name = name;
        this.incarnation = incarnation;
        sequencing = new SequencingLoop(world, process, log);
    }

    /** Publishes until the publisher has done enough, or this incarnation is fenced. */
    void run() {
        open();
        while (world.publishes(name)) {
            Sent commit = world.ledger().begin(name, incarnation, commits++);
            boolean isFenced;
            try {
                isFenced = publish(commit);
            } catch (LogWentBackException e) {
                world.ledger().violation("the log reported that it went back: " + e.getMessage());
                return;
            }
            if (commit.fate == Fate.ACKNOWLEDGED) {
                world.published(name);
            }
            if (isFenced) {
                return;
            }
            world.time()
                    .pause(Duration.ofMillis(world.time().random(world.time().random(5) == 0 ? 30_000 : 1_000)));
        }
    }

    private void open() {
        writer = persistently(() -> log.open(name));
        number = writer.firstNumber();
    }

    /** The answer to a call that can be repeated. */
    private <T> T persistently(Supplier<CompletionStage<T>> call) {
        while (true) {
            try {
                return Answers.await(process, call.get());
            } catch (LogUnavailableException e) {
                world.shortPause();
            }
        }
    }

    /** Whether a successor has fenced this incarnation. */
    private boolean publish(Sent commit) {
        List<LogBatch> batches = upload(commit);
        boolean isUnknown = false;
        while (true) {
            commit.epoch = writer.epoch();
            try {
                List<Long> ids = Answers.await(process, writer.commit(number, batches, Optional.empty()));
                if (ids.size() == batches.size()) {
                    number += batches.size();
                    acknowledged(commit, batches);
                    return false;
                }
            } catch (OutcomeUnknownException e) {
                isUnknown = true;
            } catch (LogUnavailableException e) {
                world.shortPause();
                continue;
            } catch (BlobExpiredException e) {
                batches = upload(commit);
                continue;
            } catch (WriterFencedException e) {
                if (isUnknown && wasCommitted()) {
                    acknowledged(commit, batches);
                } else {
                    world.ledger().end(commit, Fate.REFUSED);
                }
                return true;
            }
            if (world.time().random(3) == 0) {
                if (wasCommitted()) {
                    open();
                    acknowledged(commit, batches);
                    return false;
                }
                open();
                isUnknown = false;
            } else {
                world.shortPause();
            }
        }
    }

    private boolean wasCommitted() {
        return persistently(() -> writer.wasCommitted(number));
    }

    private void acknowledged(Sent commit, List<LogBatch> batches) {
        world.ledger().end(commit, Fate.ACKNOWLEDGED);
        world.checkBlobs();
        for (LogBatch batch : batches) {
            sequencing.sequence(batch.topic());
            for (BlobId blob : batch.blobs()) {
                if (!world.blobs().holds(blob) && world.database().refersTo(blob)) {
                    world.ledger().violation("a batch refers to a deleted blob: " + blob);
                }
            }
        }
    }

    // ---- content

    private List<LogBatch> upload(Sent commit) {
        if (commit.rows.isEmpty()) {
            makeRows(commit);
        }
        List<BlobId> blobs = new ArrayList<>();
        for (int i = world.time().random(3); i > 0; i--) {
            blobs.add(upload());
        }
        if (world.time().random(5) == 0) {
            world.borrow().ifPresent(blobs::add);
        }
        if (world.strikes(LogFault.PUBLISHER_PAUSED, world.schedule().pausesOneIn())) {
            world.time().pause(Duration.ofMillis(30_000 + world.time().random(300_000)));
        }
        Map<Integer, List<Row>> byTopic = new LinkedHashMap<>();
        commit.rows.forEach(row -> byTopic.computeIfAbsent(row.topic(), unknown -> new ArrayList<>())
                .add(row));
        List<LogBatch> batches = new ArrayList<>();
        byTopic.forEach((topic, rows) -> batches.add(new LogBatch(
                topic,
                rows.stream()
                        .map(LogLedger::text)
                        .collect(Collectors.joining(";"))
                        .getBytes(StandardCharsets.UTF_8),
                Set.copyOf(blobs),
                rows.size(),
                0)));
        return batches;
    }

    private void makeRows(Sent commit) {
        int count = 1 + world.time().random(4);
        for (int i = 0; i < count; i++) {
            int key = world.time().random(KEYS);
            int topic = world.topics().get(key % world.topics().size());
            String id = name + "#" + incarnation + "/" + commit.number + "/" + i;
            commit.rows.add(new Row(id, topic, key % world.schedule().partitions(), key));
        }
    }

    private BlobId upload() {
        while (true) {
            BlobId blob = world.newBlob();
            try {
                boolean ignored = Answers.await(process, world.blobs().put(blob));
                world.lend(blob);
                return blob;
            } catch (StoreUnavailableException e) {
                world.shortPause();
            }
        }
    }
}
