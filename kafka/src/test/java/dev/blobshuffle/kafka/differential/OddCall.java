package dev.blobshuffle.kafka.differential;

import dev.blobshuffle.kafka.internal.client.KafkaVersion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** A call that applications make rarely, or by mistake. */
enum OddCall {
    SEEK_ALL_TO_BEGINNING(reader(side -> {
        side.readers().first().seekToBeginning(List.of());
        return side.readers().positions();
    })),
    SEEK_ALL_TO_END(reader(side -> {
        side.readers().first().seekToEnd(List.of());
        return side.readers().positions();
    })),
    SEEK_NOTHING_KNOWN(reader(side -> {
        side.readers().first().seekToEnd(null);
        return "sought";
    })),
    SEEK_SOME_UNASSIGNED(reader(side -> {
        try {
            side.readers().first().seekToBeginning(Arrays.asList(side.first(), side.unknown()));
            return "sought";
        } finally {
            side.readers().first().seekToBeginning(side.readers().first().assignment());
        }
    })),
    PAUSE_ALL_TWICE(reader(side -> {
        Consumer<byte[], byte[]> first = side.readers().first();
        first.pause(first.assignment());
        first.pause(first.assignment());
        String paused = first.paused().size() + " of " + first.assignment().size();
        int read = first.poll(Duration.ofMillis(20)).count();
        first.resume(first.paused());
        return paused + " read " + read + " then " + first.paused().size();
    })),
    PAUSE_SOME_UNASSIGNED(reader(side -> {
        Consumer<byte[], byte[]> first = side.readers().first();
        List<TopicPartition> some = Arrays.asList(first.assignment().iterator().next(), side.unknown());
        String failure = Outcome.of(() -> {
            first.pause(some);
            return "paused";
        });
        int count = first.paused().size();
        first.resume(first.paused());
        return failure + count;
    })),
    COMMITTED_OF_NOTHING(
            reader(side -> side.readers().first().committed(Set.of()).toString())),
    COMMITTED_OF_UNKNOWN(reader(
            side -> side.readers().first().committed(Set.of(side.unknown())).size() + " answers")),
    COMMIT_NULL(reader(side -> {
        side.readers().first().commitSync((Map<TopicPartition, OffsetAndMetadata>) null);
        return "committed";
    })),
    COMMIT_NOTHING(reader(side -> {
        AtomicInteger calls = new AtomicInteger();
        side.readers().first().commitSync(Map.of());
        side.readers().first().commitAsync(Map.of(), (offsets, failure) -> calls.addAndGet(failure == null ? 1 : 100));
        side.readers().first().commitSync(Map.of());
        return "called " + calls;
    })),
    COMMIT_WITH_TIMEOUT(reader(side -> {
        side.readers().first().commitSync(Duration.ofSeconds(30));
        return "committed";
    })),
    TIMES_NEGATIVE(reader(side ->
            side.readers().first().offsetsForTimes(Map.of(side.first(), -1L)).toString())),
    TIMES_OF_NOTHING(
            reader(side -> side.readers().first().offsetsForTimes(Map.of()).toString())),
    TIMES_OF_UNKNOWN(reader(side -> side.readers()
            .first()
            .offsetsForTimes(Map.of(side.unknown(), 0L), Duration.ofMillis(300))
            .toString())),
    TIMES_OF_ALL(reader(side -> side.readers().times(0L))),
    ENDS_OF_NOTHING(reader(side -> side.readers().first().endOffsets(List.of()).toString())),
    ENDS_OF_UNKNOWN(reader(side -> side.readers()
            .first()
            .endOffsets(List.of(side.unknown()), Duration.ofMillis(300))
            .toString())),
    PARTITIONS_FOR(reader(side -> {
        int reader = side.readers().first().partitionsFor(side.topic()).size();
        boolean isListed = side.readers().first().listTopics().containsKey(side.topic());
        return reader + " " + isListed;
    })),
    PARTITIONS_FOR_MISSING(
            reader(side -> String.valueOf(side.readers().first().partitionsFor("missing", Duration.ofMillis(500))))),
    PARTITIONS_FOR_ILLEGAL(
            reader(side -> String.valueOf(side.readers().first().partitionsFor("no name", Duration.ofSeconds(10))))),
    POLL_NEGATIVE(reader(
            side -> "read " + side.readers().first().poll(Duration.ofMillis(-1)).count())),
    WAKEUP_BEFORE_POLL(reader(side -> side.readers().wokenUp(Consumer::poll))),
    WAKEUP_BEFORE_COMMITTED(reader(
            side -> side.readers().wokenUp((consumer, timeout) -> consumer.committed(consumer.assignment(), timeout)))),
    INTERRUPT_BEFORE_POLL(reader(side -> side.readers().interrupted())),
    SUBSCRIBE_OR_ASSIGN_TOO(reader(side -> {
        Consumer<byte[], byte[]> first = side.readers().first();
        if (first.subscription().isEmpty()) {
            first.subscribe(List.of(side.topic()));
        } else {
            first.assign(List.of(side.first()));
        }
        return "subscribed and assigned";
    })),
    SUBSCRIBE_NULL(reader(side -> {
        side.readers().first().subscribe((List<String>) null);
        return "subscribed";
    })),
    SUBSCRIBE_WITHOUT_LISTENER(reader(side -> {
        side.readers().first().subscribe(List.of(side.topic()), null);
        return "subscribed";
    })),
    SUBSCRIBE_BLANK(reader(side -> {
        side.readers().first().subscribe(List.of(" "));
        return "subscribed";
    })),
    ASSIGN_NULL(reader(side -> {
        side.readers().first().assign(null);
        return "assigned";
    })),
    TAKE_AGAIN(side -> side.readers().takeAgain(false)),
    TAKE_ALL_BUT_ONE_AGAIN(side -> side.readers().takeAgain(true)),
    GROUP_METADATA(reader(side -> {
        var group = side.readers().first().groupMetadata();
        return group.memberId().isEmpty() + " " + group.groupInstanceId();
    })),
    INSTANCE_ID(reader(side ->
            side.readers().first().clientInstanceId(Duration.ofMillis(-1)).toString())),
    CLOSED_READER(side -> ClosedClients.reader(side)),
    IDLE_READER(side -> ClosedClients.idleReader(side)),
    READER_WITHOUT_GROUP(side -> ClosedClients.readerWithoutGroup(side)),
    CLOSED_WRITER(side -> ClosedClients.writer(side)),
    TRANSACTION_WITHOUT_ID(side -> ClosedClients.withoutTransactions(side)),
    TRANSACTION_WITHOUT_INIT(side -> ClosedClients.withoutInit(side)),
    FLUSH_IN_CALLBACK(side -> ClosedClients.flushInCallback(side)),
    HEADERS_AFTER_SEND(side -> ClosedClients.headersAfterSend(side)),
    CLOSE_FOR_NEGATIVE_TIME(side -> ClosedClients.closedForNegativeTime(side)),
    FENCED_WRITER(side -> OtherWriters.fenced(side, true)),
    FENCED_IDLE_WRITER(side -> OtherWriters.fenced(side, false)),
    STALE_GENERATION(side -> OtherWriters.staleGeneration(side)),
    WITHOUT_ACKNOWLEDGEMENTS(side -> OtherWriters.with(side, Map.of("acks", "0"))),
    NOT_IDEMPOTENT(side -> OtherWriters.with(side, Map.of("enable.idempotence", false, "acks", "1"))),
    IDEMPOTENT_WITHOUT_ACKNOWLEDGEMENTS(
            side -> OtherWriters.with(side, Map.of("enable.idempotence", true, "acks", "0"))),
    TOO_MANY_IN_FLIGHT(side ->
            OtherWriters.with(side, Map.of("enable.idempotence", true, "max.in.flight.requests.per.connection", 6))),
    TRANSACTIONS_NOT_IDEMPOTENT(
            side -> OtherWriters.with(side, Map.of("enable.idempotence", false, "transactional.id", "not-idempotent"))),
    CLOSE_IN_CALLBACK(side -> OtherWriters.closedInCallback(side)),
    PARTITIONS_FOR_WRITER(side -> OtherWriters.partitionsFor(side)),
    INTERCEPTED_WRITER(side -> OtherWriters.intercepted(side)),
    SAME_INSTANCE(side -> Outcome.of(() -> OtherReaders.sameInstance(side))),
    LATE_MEMBER(side -> Outcome.of(() -> OtherReaders.late(side))),
    CLOSE_IN_LISTENER(side -> Outcome.of(() -> OtherReaders.closedInListener(side))),
    UNKNOWN_PATTERN(side -> Outcome.of(() -> OtherReaders.unknownPattern(side))),
    COMMITTED_AT_ONCE(side -> Outcome.of(() -> OtherReaders.committedAtOnce(side))),
    METRICS(side -> Outcome.of(() -> OtherReaders.metrics(side))),
    OWN_CLASSES_OF_WRITER(side -> Outcome.of(() -> OwnClasses.writer(side))),
    OWN_CLASSES_OF_READER(side -> Outcome.of(() -> OwnClasses.reader(side))),
    POSITION_BESIDES_UNCOMMITTED(side -> Outcome.of(() -> StartingReaders.besidesUncommitted(side))),
    COMMIT_AT_THE_END(side -> Outcome.of(() -> StartingReaders.committingAtTheEnd(side))),
    START_BY_DURATION(side -> Outcome.of(() -> StartingReaders.byDuration(side))),
    INTERCEPTED_READER(side -> Outcome.of(() -> OtherReaders.intercepted(side))),
    WAKEUP_BEFORE_COMMIT(reader(side -> side.readers().wokenUp((consumer, timeout) -> consumer.commitSync(timeout)))),
    REBALANCE_ENFORCED(side -> side.readers().enforced()),
    DELETE_ALL_RECORDS(side -> Outcome.of(() -> {
        long low = side.admin()
                .deleteRecords(Map.of(side.first(), RecordsToDelete.beforeOffset(-1)))
                .lowWatermarks()
                .get(side.first())
                .get()
                .lowWatermark();
        return "deleted to " + side.named(low);
    })),
    LARGEST_TIME(side -> Outcome.of(() -> {
        var found = side.admin()
                .listOffsets(Map.of(side.first(), OffsetSpec.maxTimestamp()))
                .partitionResult(side.first())
                .get();
        if (side.hasAborted()) { // Natively, the answer may be an aborted record.
            return "asked";
        }
        return found.offset() < 0 ? "none" : side.named(found.offset());
    }));

    /** The result of a flush in a callback, through blobs. */
    static final String FLUSHED_IN_CALLBACK = "inside [ok]";

    /** The result of a flush in a callback, natively. */
    static final String REFUSED_IN_CALLBACK = "inside [throws KafkaException]";

    private final Function<Side, String> call;

    OddCall(Function<Side, String> call) {
        this.call = call;
    }

    String on(Side side) {
        return call.apply(side);
    }

    /**
     * The calls that programs have. Up to Kafka 4.0, a flush in a callback waits for itself without
     * end natively. Before it, there is no start by duration.
     */
    static List<OddCall> drawn() {
        List<OddCall> drawn = new ArrayList<>(List.of(values()));
        if (KafkaVersion.isOlder(KafkaVersion.present(), "4.1")) {
            drawn.remove(FLUSH_IN_CALLBACK);
        }
        if (KafkaVersion.isOlder(KafkaVersion.present(), "4.0")) {
            drawn.remove(START_BY_DURATION);
        }
        return drawn;
    }

    private interface Call {
        String run(Side side) throws Exception;
    }

    private static Function<Side, String> reader(Call call) {
        return side -> Outcome.of(() -> call.run(side));
    }
}
