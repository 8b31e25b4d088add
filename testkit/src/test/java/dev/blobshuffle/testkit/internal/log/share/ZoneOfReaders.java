package dev.blobshuffle.testkit.internal.log.share;

import static dev.blobshuffle.testkit.internal.log.share.ZoneOfReaders.Conduct.HONEST;

import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.FixedZoneMap;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.SectionOwners;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.log.internal.LogBatch;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.RetentionRule;
import dev.blobshuffle.log.internal.SequencedBatch;
import dev.blobshuffle.log.internal.Writer;
import dev.blobshuffle.log.internal.share.LogPeers;
import dev.blobshuffle.log.internal.share.LogQuestion;
import dev.blobshuffle.log.internal.share.SharedLog;
import dev.blobshuffle.log.internal.share.ZonePages;
import dev.blobshuffle.log.internal.tail.LogTails;
import dev.blobshuffle.log.internal.tail.MeteredLogReads;
import dev.blobshuffle.log.internal.tail.TailCursor;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.testkit.internal.log.LogCall;
import dev.blobshuffle.testkit.internal.log.LogFaults;
import dev.blobshuffle.testkit.internal.log.LogOptions;
import dev.blobshuffle.testkit.internal.log.MemoryDatabase;
import dev.blobshuffle.testkit.internal.log.MemoryLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Instances of one zone that follow one topic of a log in memory, in virtual time. Their network is
 * a map. Owned by the test's thread.
 */
final class ZoneOfReaders implements AutoCloseable {
    private static final Zone ZONE = new Zone("a");
    private static final int ENTRIES = 10_000;

    final SimulatedTime time = new SimulatedTime(5);
    final Plan plan = new Plan();
    final MemoryDatabase database = new MemoryDatabase(time, LogOptions.DEFAULTS, plan, Set.of());
    final MemoryLog log = new MemoryLog(database, time);
    final LogTopic topic;
    final List<Instance> instances = new ArrayList<>();
    private final Map<Endpoint, Instance> byEndpoint = new HashMap<>();
    private final Writer writer;
    private long number;

    ZoneOfReaders(int count) {
        topic = now(log.topics().create("t", 4, new RetentionRule.Forever())).orElseThrow();
        writer = now(log.open("writer"));
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            members.add(new Member(i + 1, new Endpoint("m" + i, 1), ZONE, Set.of(), 1));
        }
        members.forEach(member -> instances.add(new Instance(member, new FixedZoneMap(members))));
    }

    /** What a member does when it is asked. */
    enum Conduct {
        HONEST,
        /** It never answers. */
        SILENT,
        /** Its connection breaks. */
        BROKEN,
        /** It sends the page after the one that was asked for. */
        SKIPPING,
        /** It says that there is nothing more. */
        HIDING,
        /** It sends batches with the right sequences and another content. */
        FORGING
    }

    /** Faults of the log, and how often it was called. */
    static final class Plan implements LogFaults {
        boolean isAway;
        int reads;

        @Override
        public Fate next(LogCall call) {
            if (call == LogCall.READ) {
                reads++;
            }
            return isAway ? new Fate(Loss.CONNECTION, Duration.ZERO, Duration.ZERO) : Fate.SMOOTH;
        }
    }

    /** One instance with a reader. */
    final class Instance implements LogPeers {
        final Member member;
        final ShuffleMetrics metrics = new ShuffleMetrics(time);
        final TailCursor cursor;
        final List<SequencedBatch> taken = new ArrayList<>();
        Conduct conduct = HONEST;
        int asked;
        private final LogTails tails;
        private final SharedLog shared;

        private Instance(Member member, FixedZoneMap members) {
            this.member = member;
            MemoryLog own = new MemoryLog(database, time);
            MeteredLogReads reads = new MeteredLogReads(own, metrics);
            shared = new SharedLog(own.id(), reads, 8 << 20, time);
            byEndpoint.put(member.endpoint(), this);
            ZonePages.Place place = new ZonePages.Place(Optional.of(member.endpoint()), ZONE, members, this);
            tails = new LogTails(own, reads, new ZonePages(reads, shared, place, metrics, time), 8 << 20, time);
            cursor = tails.open(topic.number(), 0, () -> {});
        }

        @Override
        public CompletionStage<List<SequencedBatch>> ask(Member other, LogQuestion question) {
            CompletableFuture<List<SequencedBatch>> answer = new CompletableFuture<>();
            time.schedule(
                    Duration.ofMillis(1), () -> byEndpoint.get(other.endpoint()).answer(question, answer));
            return answer;
        }

        @Override
        public void answerFrom(SharedLog log) {}

        private void answer(LogQuestion question, CompletableFuture<List<SequencedBatch>> answer) {
            asked++;
            switch (conduct) {
                case SILENT -> {}
                case BROKEN -> answer.completeExceptionally(new IllegalStateException("broken"));
                case HIDING -> answer.complete(List.of());
                default ->
                    shared.page(question).whenComplete((page, failure) -> {
                        if (failure == null) {
                            answer.complete(changed(page));
                        } else {
                            answer.completeExceptionally(failure);
                        }
                    });
            }
        }

        private List<SequencedBatch> changed(List<SequencedBatch> page) {
            return switch (conduct) {
                case SKIPPING -> page.subList(Math.min(1, page.size()), page.size());
                case FORGING ->
                    page.stream()
                            .map(batch -> new SequencedBatch(
                                    batch.sequence(), batch.id() + 1, batch.committedMillis(), new byte[] {1}))
                            .toList();
                default -> page;
            };
        }

        long count(Counter counter) {
            return metrics.value(counter);
        }

        void take() {
            for (List<SequencedBatch> page = cursor.next(500, 1 << 20);
                    !page.isEmpty();
                    page = cursor.next(500, 1 << 20)) {
                taken.addAll(page);
            }
        }
    }

    /** The instance that is chosen to read the topic for the zone. */
    Instance chosen() {
        List<Member> members =
                instances.stream().map(instance -> instance.member).toList();
        Member member = SectionOwners.ofTopic(members, log.id(), topic.number(), any -> true)
                .orElseThrow();
        return byEndpoint.get(member.endpoint());
    }

    /** Those that are not chosen. */
    List<Instance> others() {
        return instances.stream().filter(instance -> instance != chosen()).toList();
    }

    /** Publishes 3 MB/s for some seconds while all instances read. */
    void flow(int seconds) {
        flow(seconds, 30);
    }

    /** Publishes some batches of 10 KB every 100 ms while all instances read. */
    void flow(int seconds, int batches) {
        for (int i = 0; i < seconds * 10; i++) {
            publish(batches);
            time.settle(Duration.ofMillis(100));
            instances.forEach(Instance::take);
        }
    }

    void publish(int batches) {
        List<LogBatch> some = new ArrayList<>();
        for (int i = 0; i < batches; i++) {
            byte[] entries = new byte[ENTRIES];
            java.nio.ByteBuffer.wrap(entries).putLong(number + i);
            some.add(new LogBatch(topic.number(), entries, Set.of(), 1, 0));
        }
        now(writer.commit(number, some, Optional.empty()));
        number += batches;
        now(log.sequence(topic.number()));
    }

    long published() {
        return number;
    }

    static <T> T now(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    @Override
    public void close() {
        instances.forEach(instance -> instance.tails.close());
        time.close();
    }
}
