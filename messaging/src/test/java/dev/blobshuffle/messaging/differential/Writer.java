package dev.blobshuffle.messaging.differential;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.RecordTooLargeException;
import dev.blobshuffle.log.failure.TopicAbsentException;
import dev.blobshuffle.log.failure.WriterFencedException;
import dev.blobshuffle.messaging.Acknowledgement;
import dev.blobshuffle.messaging.Header;
import dev.blobshuffle.messaging.OutgoingRecord;
import dev.blobshuffle.messaging.Publisher;
import dev.blobshuffle.messaging.Serde;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/** One publisher, and its expected results. */
final class Writer implements AutoCloseable {
    private final Session session;
    final World.Storage storage;
    private final String name;
    private Publisher<byte[], byte[]> real;
    private final List<Sent> pending = new ArrayList<>();
    boolean inTransaction;

    private record Sent(
            ModelRecord record,
            ModelTopic target,
            int partitions,
            OutgoingRecord<byte[], byte[]> published,
            CompletionStage<Acknowledgement> answer) {}

    Writer(Session session, World.Storage storage, String name) {
        this.session = session;
        this.storage = storage;
        this.name = name;
        real = open();
    }

    private Publisher<byte[], byte[]> open() {
        return session.world.messaging(storage).publisher(name, Serde.bytes(), Serde.bytes());
    }

    Publisher<byte[], byte[]> real() {
        return real;
    }

    /** Whether it has published records without a later flush. */
    boolean isDirty() {
        return !inTransaction && !pending.isEmpty();
    }

    /** Whether it has published to a topic that is gone. */
    boolean isStale() {
        return pending.stream().anyMatch(sent -> sent.target.isDeleted);
    }

    String publish(String topic, @Nullable ModelTopic current, Draft draft, int number) {
        Session.Known known = session.known(storage, topic, current);
        OptionalInt partition = partition(draft, known == null ? null : known.topic());
        if (known != null && partition.orElse(0) >= known.partitions()) {
            session.forget(storage, topic); // It queries the topic again.
            known = session.known(storage, topic, current);
        }
        if (known != null) {
            known = afterWaiting(known);
        }
        Session.Known target = known != null && partition.orElse(0) < known.partitions() ? known : null;
        OutgoingRecord<byte[], byte[]> record = draft.record(topic, number, partition);
        String actual = Outcome.of(() -> {
            CompletionStage<Acknowledgement> answer = real.publish(record);
            if (target != null) {
                pending.add(
                        new Sent(new ModelRecord(number, record), target.topic(), target.partitions(), record, answer));
            }
            return "published";
        });
        boolean isAbsent = known == null || target == null && known.topic() != current;
        return Session.expect(
                isAbsent ? Outcome.failure(TopicAbsentException.class) : expected(record, target), actual);
    }

    /** If records wait for a former topic of the same name, later ones follow them. */
    private Session.Known afterWaiting(Session.Known known) {
        return pending.stream()
                .filter(sent -> sent.target.name.equals(known.topic().name) && sent.target != known.topic())
                .reduce((earlier, later) -> later)
                .map(sent -> new Session.Known(sent.target, sent.partitions))
                .orElse(known);
    }

    static OptionalInt partition(Draft draft, @Nullable ModelTopic topic) {
        if (draft.partition() == null) {
            return OptionalInt.empty();
        }
        int last = topic == null ? 0 : topic.partitions() - 1;
        return switch (draft.partition()) {
            case Draft.MISSING -> OptionalInt.of(Draft.MISSING);
            case Draft.NEWEST -> OptionalInt.of(last);
            default -> OptionalInt.of(Math.min(draft.partition(), last));
        };
    }

    private static String expected(OutgoingRecord<byte[], byte[]> record, Session.@Nullable Known target) {
        if (target == null) {
            return Outcome.failure(IllegalArgumentException.class);
        }
        return size(record) > World.RECORD_LIMIT ? Outcome.failure(RecordTooLargeException.class) : "published";
    }

    private static int size(OutgoingRecord<byte[], byte[]> record) {
        int size =
                (record.key() == null ? 0 : record.key().length) + (record.value() == null ? 0 : record.value().length);
        for (Header each : record.headers()) {
            size += each.name().getBytes(StandardCharsets.UTF_8).length
                    + (each.value() == null ? 0 : each.value().length);
        }
        return size;
    }

    String flush() {
        boolean isStale = isStale() && !inTransaction;
        String actual = Outcome.of(() -> {
            real.flush(World.PATIENCE);
            return "flushed";
        });
        String said = Session.expect(isStale ? Outcome.failure(TopicAbsentException.class) : "flushed", actual);
        if (inTransaction) {
            return said;
        }
        answer(isStale ? Outcome.failure(TopicAbsentException.class) : "");
        if (isStale) {
            session.forgetAll(storage);
        }
        return said + session.settle();
    }

    /**
     * Checks the outcome of each record.
     *
     * @param refusal the failure of all, as for absent topics; empty: none fails
     */
    private void answer(String refusal) {
        for (Sent sent : pending) {
            String answer = answer(sent);
            boolean isKept = answer.equals("kept");
            if (isKept ? sent.target.isDeleted : !refusal.equals(answer)) {
                throw new AssertionError("The answer for " + sent.record + " of " + sent.target.name + " is " + answer
                        + (refusal.isEmpty() ? "." : ", and " + refusal + " was expected."));
            }
            if (isKept) {
                sent.target.arrive(sent.record);
            }
        }
        pending.clear();
    }

    private static String answer(Sent sent) {
        return Outcome.of(() -> {
            Acknowledgement answer =
                    sent.answer.toCompletableFuture().get(World.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            int partition = answer.partition().partition();
            sent.record.partition = partition;
            boolean isRight =
                    isChosen(sent, partition) && answer.partition().topic().equals(sent.target.name);
            boolean isInTime = sent.published.timestamp().isEmpty()
                    || sent.published.timestamp().getAsLong() == answer.timestamp();
            return isRight && isInTime ? "kept" : "kept as " + answer;
        });
    }

    /** Whether the partition is possible. A publisher may not know of added partitions yet. */
    private static boolean isChosen(Sent sent, int partition) {
        if (sent.published.partition().isPresent()) {
            return sent.published.partition().getAsInt() == partition;
        }
        byte[] key = sent.published.key();
        if (key == null) {
            return partition < sent.target.partitions();
        }
        for (int count = 1; count <= sent.target.partitions(); count++) {
            if (partition(key, count) == partition) {
                return true;
            }
        }
        return false;
    }

    static int partition(byte[] key, int count) {
        return Utils.toPositive(Utils.murmur2(key)) % count;
    }

    /** Called when the transaction is committed. */
    void committed() {
        inTransaction = false;
        answer("");
    }

    /** Called when the transaction is rolled back. */
    void rolledBack() {
        inTransaction = false;
        for (Sent sent : pending) {
            if (answer(sent).startsWith("kept")) {
                throw new AssertionError(sent.record + " was rolled back, and its answer says that it is kept.");
            }
        }
        pending.clear();
    }

    /** Opens a publisher of the same name, which fences this one. */
    String openAgain(@Nullable ModelTopic topic) {
        Publisher<byte[], byte[]> before = real;
        real = open();
        if (topic == null) {
            before.close();
            return "opened again";
        }
        String zombie = Outcome.of(() -> {
            before.publish(topic.name, null, new byte[1]);
            before.flush(World.PATIENCE);
            return "flushed";
        });
        close(before);
        return Session.expect(Outcome.failure(WriterFencedException.class), zombie);
    }

    private static void close(Publisher<?, ?> fenced) {
        try {
            fenced.close();
        } catch (BlobShuffleException e) {
            // It reports again that it is fenced.
        }
    }

    @Override
    public void close() {
        real.close();
    }
}
