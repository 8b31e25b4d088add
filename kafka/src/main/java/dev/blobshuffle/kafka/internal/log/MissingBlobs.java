package dev.blobshuffle.kafka.internal.log;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.NotificationCodec;
import dev.blobshuffle.core.internal.retention.PatientStore;
import dev.blobshuffle.core.internal.retention.StopSignal;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
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
import org.jspecify.annotations.Nullable;

/**
 * Finds the notifications in a range of offsets that a consumer cannot read. A notification is
 * unreadable if its blob is not in the store. An operator can also name notifications that refer to
 * another store or cannot be decoded; other notifications of that kind end the search with an
 * error. Sends one store request per blob. Owned by one thread.
 */
public final class MissingBlobs {
    private static final Duration SCAN_TIMEOUT = Duration.ofSeconds(60);
    /**
     * Most ranges that are listed per partition, because a commit has no room for more. Further
     * notifications are only counted.
     */
    private static final int MOST_RANGES = 150;

    private static final int REMEMBERED = 10_000;

    private final PatientStore store;
    private final Named named;
    private final Map<TopicPartition, Partial> found =
            new TreeMap<>((one, other) -> one.toString().compareTo(other.toString()));

    /** The latest answers of the store. */
    private final Map<BlobId, Boolean> known = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<BlobId, Boolean> eldest) {
            return size() > REMEMBERED;
        }
    };

    private MissingBlobs(PatientStore store, Named named) {
        this.store = store;
        this.named = named;
    }

    /** Why a notification cannot be read. */
    public enum Reason {
        /** Its blob is not in the store. */
        MISSING,
        /** It refers to another store. */
        FOREIGN,
        /** Its bytes are not a valid notification. */
        UNDECODABLE
    }

    /**
     * The notifications that an operator has named. They are given up even if they refer to another
     * store or cannot be decoded.
     */
    @FunctionalInterface
    public interface Named {
        /** No notifications. */
        Named NONE = (partition, offset) -> false;

        /** Whether the operator has named the notification at an offset. */
        boolean contains(TopicPartition partition, long offset);
    }

    /**
     * Consecutive notifications that are unreadable for the same reason, without a readable record
     * between them.
     *
     * @param reason why they are unreadable
     * @param from offset of the first notification
     * @param to offset after the last notification
     * @param notifications their number
     * @param records of their segments; 0 if the notifications cannot be decoded
     * @param bytes of their segments; 0 if the notifications cannot be decoded
     * @param example one of the blobs; null if the notifications cannot be decoded
     */
    public record Loss(
            Reason reason,
            long from,
            long to,
            long notifications,
            long records,
            long bytes,
            @Nullable BlobId example) {
        private Loss plus(Loss next) {
            return new Loss(
                    reason,
                    from,
                    next.to,
                    notifications + next.notifications,
                    records + next.records,
                    bytes + next.bytes,
                    example);
        }

        private static Loss of(Reason reason, long offset, Notification only) {
            return new Loss(reason, offset, offset + 1, 1, only.records(), only.segmentLength(), only.blob());
        }

        private static Loss undecodable(long offset) {
            return new Loss(Reason.UNDECODABLE, offset, offset + 1, 1, 0, 0, null);
        }
    }

    /** The kind of reader of a notification. */
    public enum Reader {
        /** A wrapped client. */
        CLIENT,
        /** The Debatcher of an explicit operator, which reads without the consumer's help. */
        OPERATOR
    }

    /**
     * The unreadable notifications of a partition.
     *
     * @param partition the partition
     * @param losses in order of offsets, as many as one commit has room for
     * @param more number of unreadable notifications after these
     * @param readers the kinds of readers that would read them
     */
    public record Losses(TopicPartition partition, List<Loss> losses, long more, Set<Reader> readers) {
        /** Copies the list. */
        public Losses {
            losses = List.copyOf(losses);
            readers = Set.copyOf(readers);
        }
    }

    /**
     * Searches partitions for unreadable notifications.
     *
     * @param starts first offset of each partition
     * @param named notifications that may be given up although the store cannot show that their
     *     blobs are missing
     * @return the partitions with unreadable notifications, ordered by name
     * @throws InvalidSettingsException a notification that is not named refers to another store
     * @throws BlobCorruptException a notification that is not named cannot be decoded
     */
    public static List<Losses> find(
            Map<TopicPartition, Long> starts, Named named, LogScan scan, BlobStore store, StopSignal stopSignal) {
        MissingBlobs missing = new MissingBlobs(new PatientStore(store, stopSignal), named);
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
        Loss loss = loss(record);
        if (loss == null) {
            partial.isOpen = false;
        } else {
            partial.add(loss);
            partial.readers.add(isOfOperators ? Reader.OPERATOR : Reader.CLIENT);
        }
    }

    /** Null if the notification can be read. */
    private @Nullable Loss loss(ConsumerRecord<byte[], byte[]> record) {
        TopicPartition partition = new TopicPartition(record.topic(), record.partition());
        boolean isNamed = named.contains(partition, record.offset());
        Notification notification;
        try {
            notification = NotificationCodec.decode(record.value());
        } catch (BlobCorruptException e) {
            if (isNamed) {
                return Loss.undecodable(record.offset());
            }
            throw new BlobCorruptException("Cannot find the missing blobs: the notification at offset "
                    + record.offset()
                    + " of " + partition + " cannot be decoded, " + e.getMessage() + " To give it up, add --offsets "
                    + name(record) + ".");
        }
        if (notification.store() != store.fingerprint()) {
            if (isNamed) {
                return Loss.of(Reason.FOREIGN, record.offset(), notification);
            }
            throw new InvalidSettingsException(
                    "Cannot find the missing blobs: the notification at offset " + record.offset()
                            + " of " + partition + " refers to another store than " + store.location()
                            + ". Give the store that the application uses. If that store is gone for good, give the notification up: add --offsets "
                            + name(record) + ".");
        }
        return isThere(notification.blob()) ? null : Loss.of(Reason.MISSING, record.offset(), notification);
    }

    private static String name(ConsumerRecord<byte[], byte[]> record) {
        return record.partition() + ":" + record.offset();
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

        void add(Loss loss) {
            Loss last = losses.isEmpty() ? null : losses.get(losses.size() - 1);
            if (isOpen && last != null && last.reason == loss.reason) {
                losses.set(losses.size() - 1, last.plus(loss));
            } else if (losses.size() < MOST_RANGES && more == 0) {
                losses.add(loss);
                isOpen = true;
            } else {
                more++;
            }
        }
    }
}
