package dev.blobshuffle.kafka.retention;

import dev.blobshuffle.core.failure.BlobCorrupt;
import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.format.BlobId;
import dev.blobshuffle.core.format.Notification;
import dev.blobshuffle.core.format.NotificationCodec;
import dev.blobshuffle.core.store.MeasurableStore;
import dev.blobshuffle.kafka.NotificationRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;

/**
 * Finds the notifications whose blobs are not in the store, from given offsets to the ends of partitions: what a reader would stop at. One request per blob. Owned by one thread.
 */
public final class MissingBlobs {
    private static final Duration SCAN_TIMEOUT = Duration.ofSeconds(60);
    /** Ranges of a partition beyond which only their number is told: a commit has no room for more. */
    private static final int MOST_RANGES = 150;

    private static final int REMEMBERED = 10_000;

    private final PatientStore store;
    private final Map<TopicPartition, Partial> found =
            new TreeMap<>((one, other) -> one.toString().compareTo(other.toString()));

    /** Answers of the store, the latest ones. */
    private final Map<BlobId, Boolean> known = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<BlobId, Boolean> eldest) {
            return size() > REMEMBERED;
        }
    };

    private MissingBlobs(PatientStore store) {
        this.store = store;
    }

    /**
     * Notifications side by side, nothing readable between them, whose blobs are missing.
     *
     * @param from offset of the first
     * @param to offset behind the last
     * @param notifications their number
     * @param records of the segments that they lead to
     * @param bytes of these segments
     * @param example one of the blobs
     */
    public record Loss(long from, long to, long notifications, long records, long bytes, BlobId example) {
        private Loss plus(long offset, Notification next) {
            return new Loss(
                    from,
                    offset + 1,
                    notifications + 1,
                    records + next.records(),
                    bytes + next.segmentLength(),
                    example);
        }

        private static Loss of(long offset, Notification first) {
            return new Loss(offset, offset + 1, 1, first.records(), first.segmentLength(), first.blob());
        }
    }

    /** Who reads a notification. */
    public enum Reader {
        /** A wrapped client. */
        CLIENT,
        /** The Debatcher of an explicit operator, of which the consumer knows nothing. */
        OPERATOR
    }

    /**
     * What a partition has lost.
     *
     * @param partition which
     * @param losses in order, as many as one commit has room for
     * @param more notifications with missing blobs behind these
     * @param readers who would read what is lost
     */
    public record Losses(TopicPartition partition, List<Loss> losses, long more, Set<Reader> readers) {
        /** Copies the list. */
        public Losses {
            losses = List.copyOf(losses);
            readers = Set.copyOf(readers);
        }
    }

    /**
     * Looks through partitions.
     *
     * @param starts where to begin in each
     * @return the partitions that have lost something, in order of their names
     * @throws InvalidSettings a notification leads to another store than the one that was asked
     * @throws BlobCorrupt a notification cannot be read
     */
    public static List<Losses> find(Map<TopicPartition, Long> starts, LogScan scan, MeasurableStore store, Halt halt) {
        MissingBlobs missing = new MissingBlobs(new PatientStore(store, halt));
        scan.read(starts, SCAN_TIMEOUT, missing::look);
        return missing.found.entrySet().stream()
                .filter(entry -> !entry.getValue().losses.isEmpty())
                .map(entry -> new Losses(
                        entry.getKey(), entry.getValue().losses, entry.getValue().more, entry.getValue().readers))
                .toList();
    }

    private void look(ConsumerRecord<byte[], byte[]> record) {
        Partial partial = found.computeIfAbsent(
                new TopicPartition(record.topic(), record.partition()), partition -> new Partial());
        boolean isOfOperators = NotificationRecord.isNotificationOfOperators(record);
        if (!isOfOperators && !NotificationRecord.isNotification(record)) {
            partial.isOpen = false;
            return;
        }
        Notification notification = NotificationCodec.decode(record.value());
        if (notification.store() != store.fingerprint()) {
            throw new InvalidSettings("Cannot tell what is missing: the notification at offset " + record.offset()
                    + " of " + record.topic() + "-" + record.partition() + " leads to another store than "
                    + store.location() + ". Give the store that the application uses.");
        }
        if (isThere(notification.blob())) {
            partial.isOpen = false;
        } else {
            partial.add(record.offset(), notification);
            partial.readers.add(isOfOperators ? Reader.OPERATOR : Reader.CLIENT);
        }
    }

    private boolean isThere(BlobId id) {
        Boolean answer = known.get(id);
        if (answer == null) {
            try {
                answer = store.length(id).isPresent();
            } catch (InterruptedException e) {
                throw new InterruptException(e);
            }
            known.put(id, answer);
        }
        return answer;
    }

    private static final class Partial {
        final List<Loss> losses = new ArrayList<>();
        final Set<Reader> readers = EnumSet.noneOf(Reader.class);
        boolean isOpen;
        long more;

        void add(long offset, Notification notification) {
            if (isOpen) {
                losses.set(losses.size() - 1, losses.get(losses.size() - 1).plus(offset, notification));
            } else if (losses.size() < MOST_RANGES && more == 0) {
                losses.add(Loss.of(offset, notification));
                isOpen = true;
            } else {
                more++;
            }
        }
    }
}
