package dev.blobshuffle.messaging.internal.subscribe;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.ZoneMap;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.SequencedBatch;
import dev.blobshuffle.log.internal.share.LogPeers;
import dev.blobshuffle.log.internal.share.LogQuestion;
import dev.blobshuffle.log.internal.share.SharedLog;
import dev.blobshuffle.log.internal.share.ZonePages;
import dev.blobshuffle.log.internal.tail.LogTails;
import dev.blobshuffle.log.internal.tail.MeteredLogReads;
import dev.blobshuffle.simulator.SimulatedProcess;
import dev.blobshuffle.simulator.SimulatedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

/**
 * The processes of a simulation, which read every topic together. Their network delays and loses
 * questions and answers, and drops or empties pages, until it is calm. Guarded by the simulation's
 * baton.
 */
final class SimulatedZone implements ZoneMap {
    private static final int SHARED_BYTES = 16 << 10;

    private final SimulatedTime time;
    private final BooleanSupplier isCalm;
    private final List<Member> members = new ArrayList<>();
    private final Map<Endpoint, Process> processes = new HashMap<>();
    private long shared;

    /** A process and the log that it serves. */
    private record Process(SimulatedProcess process, SharedLog log) {}

    SimulatedZone(SimulatedTime time, BooleanSupplier isCalm) {
        this.time = time;
        this.isCalm = isCalm;
    }

    /** The tails of a process, which then serves the others. */
    LogTails open(CommitLog log, SimulatedProcess process, long budget) {
        ShuffleMetrics metrics = new ShuffleMetrics(process);
        MeteredLogReads reads = new MeteredLogReads(log, metrics);
        SharedLog served = new SharedLog(log.id(), reads, SHARED_BYTES, process);
        Endpoint self = new Endpoint("process-" + members.size(), 1);
        processes.put(self, new Process(process, served));
        members.add(new Member(members.size() + 1, self, Zone.SINGLE, Set.of(), 1));
        ZonePages.Place place = new ZonePages.Place(Optional.of(self), Zone.SINGLE, this, new Way(process));
        return new LogTails(log, reads, new ZonePages(reads, served, place, 1, metrics, process), budget, process);
    }

    private Duration delay() {
        return Duration.ofNanos(time.random(20_000_000));
    }

    /** The connection from one process to the others. */
    private final class Way implements LogPeers {
        private final SimulatedProcess asker;

        Way(SimulatedProcess asker) {
            this.asker = asker;
        }

        @Override
        public CompletionStage<List<SequencedBatch>> ask(Member member, LogQuestion question) {
            CompletableFuture<List<SequencedBatch>> answer = new CompletableFuture<>();
            Process other = processes.get(member.endpoint());
            if (isCalm.getAsBoolean() || time.random(10) > 0) {
                other.process()
                        .schedule(
                                delay(),
                                () -> other.log()
                                        .page(question)
                                        .whenComplete((page, failure) -> answer(page, failure, answer)));
            }
            return answer;
        }

        private void answer(
                List<SequencedBatch> page, Throwable failure, CompletableFuture<List<SequencedBatch>> answer) {
            int fate = isCalm.getAsBoolean() ? 9 : time.random(20);
            if (fate == 0) {
                return; // Lost.
            }
            asker.schedule(delay(), () -> {
                if (failure != null) {
                    answer.completeExceptionally(failure);
                } else {
                    shared += page.size();
                    answer.complete(changed(page, fate));
                }
            });
        }

        private static List<SequencedBatch> changed(List<SequencedBatch> page, int fate) {
            return switch (fate) {
                case 1 -> List.of();
                case 2 -> page.subList(Math.min(1, page.size()), page.size());
                case 3 -> page.subList(0, page.size() / 2);
                default -> page;
            };
        }

        @Override
        public void answerFrom(SharedLog log) {}
    }

    /** Number of batches that processes have sent to each other. */
    long shared() {
        return shared;
    }

    @Override
    public List<Member> members() {
        return List.copyOf(members);
    }

    @Override
    public List<Member> members(Zone zone) {
        return members();
    }

    @Override
    public Optional<Zone> zoneOf(Partition partition) {
        return Optional.empty();
    }
}
