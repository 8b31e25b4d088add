package dev.blobshuffle.messaging.differential;

import dev.blobshuffle.messaging.ReceivedRecord;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Possible faults of messaging; the comparison must detect each. */
enum Fault {
    NONE,
    RECORD_LOST {
        @Override
        List<ReceivedRecord<byte[], byte[]>> polled(List<ReceivedRecord<byte[], byte[]>> records) {
            return records.size() > 1 ? records.subList(1, records.size()) : records;
        }
    },
    RECORD_DOUBLED {
        @Override
        List<ReceivedRecord<byte[], byte[]>> polled(List<ReceivedRecord<byte[], byte[]>> records) {
            List<ReceivedRecord<byte[], byte[]>> changed = new ArrayList<>(records);
            if (changed.size() > 1) {
                changed.set(changed.size() - 1, changed.get(0));
            }
            return changed;
        }
    },
    ORDER_CHANGED {
        @Override
        List<ReceivedRecord<byte[], byte[]>> polled(List<ReceivedRecord<byte[], byte[]>> records) {
            List<ReceivedRecord<byte[], byte[]>> changed = new ArrayList<>(records);
            if (changed.size() > 2) {
                Collections.swap(changed, 1, 2);
            }
            return changed;
        }
    },
    HEADERS_LOST {
        @Override
        List<ReceivedRecord<byte[], byte[]>> polled(List<ReceivedRecord<byte[], byte[]>> records) {
            return records.stream()
                    .map(each -> new ReceivedRecord<>(
                            each.topic(),
                            each.partition(),
                            each.position(),
                            each.timestamp(),
                            each.key(),
                            each.value(),
                            List.of()))
                    .toList();
        }
    },
    NULL_CHANGED {
        @Override
        List<ReceivedRecord<byte[], byte[]>> polled(List<ReceivedRecord<byte[], byte[]>> records) {
            return records.stream()
                    .map(each -> new ReceivedRecord<>(
                            each.topic(),
                            each.partition(),
                            each.position(),
                            each.timestamp(),
                            each.key(),
                            each.value() == null ? new byte[0] : each.value(),
                            each.headers()))
                    .toList();
        }
    },
    /** A seek goes to the record after the named one. */
    SEEK_BESIDE {
        @Override
        long sought(long position) {
            return position + 1;
        }
    },
    COMMIT_FORGOTTEN,
    PAUSE_FORGOTTEN,
    /** Rolled-back records are committed. */
    ROLLBACK_KEPT;

    /** Applies the fault to the result of a poll. */
    List<ReceivedRecord<byte[], byte[]>> polled(List<ReceivedRecord<byte[], byte[]>> records) {
        return records;
    }

    /** Applies the fault to a seek. */
    long sought(long position) {
        return position;
    }
}
