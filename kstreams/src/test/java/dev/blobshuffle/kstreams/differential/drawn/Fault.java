package dev.blobshuffle.kstreams.differential.drawn;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;

/** Possible faults of a shuffle; the comparison must detect each. */
enum Fault {
    HEADER_LOST {
        @Override
        List<ConsumerRecord<byte[], byte[]>> read(List<ConsumerRecord<byte[], byte[]>> records) {
            return records.stream()
                    .map(record -> with(record, record.timestamp(), new RecordHeaders()))
                    .toList();
        }
    },
    TIME_CHANGED {
        @Override
        List<ConsumerRecord<byte[], byte[]>> read(List<ConsumerRecord<byte[], byte[]>> records) {
            return records.stream()
                    .map(record -> record.offset() % 7 == 0
                            ? with(record, record.timestamp() + 1, new RecordHeaders(record.headers()))
                            : record)
                    .toList();
        }
    },
    NULL_DROPPED {
        @Override
        List<ConsumerRecord<byte[], byte[]>> read(List<ConsumerRecord<byte[], byte[]>> records) {
            return records.stream().filter(record -> record.value() != null).toList();
        }
    },
    ORDER_CHANGED {
        @Override
        List<ConsumerRecord<byte[], byte[]>> read(List<ConsumerRecord<byte[], byte[]>> records) {
            List<ConsumerRecord<byte[], byte[]>> changed = new ArrayList<>(records);
            if (changed.size() > 3) {
                Collections.swap(changed, 1, 2);
            }
            return changed;
        }
    },
    DOUBLED {
        @Override
        List<ConsumerRecord<byte[], byte[]>> read(List<ConsumerRecord<byte[], byte[]>> records) {
            List<ConsumerRecord<byte[], byte[]>> changed = new ArrayList<>(records);
            if (changed.size() > 3) {
                changed.add(0, changed.get(0));
            }
            return changed;
        }
    },
    PARTITION_IGNORED {
        @Override
        ProducerRecord<byte[], byte[]> write(ProducerRecord<byte[], byte[]> record) {
            return new ProducerRecord<>(
                    record.topic(), null, record.timestamp(), record.key(), record.value(), record.headers());
        }
    };

    /** The setting that names a fault. */
    static final String SETTING = "drawn.fault";

    /** Applies the fault to the records read from one partition. */
    List<ConsumerRecord<byte[], byte[]>> read(List<ConsumerRecord<byte[], byte[]>> records) {
        return records;
    }

    /** Applies the fault to a record that is written. */
    ProducerRecord<byte[], byte[]> write(ProducerRecord<byte[], byte[]> record) {
        return record;
    }

    private static ConsumerRecord<byte[], byte[]> with(
            ConsumerRecord<byte[], byte[]> record, long timestamp, RecordHeaders headers) {
        return new ConsumerRecord<>(
                record.topic(),
                record.partition(),
                record.offset(),
                timestamp,
                record.timestampType(),
                record.serializedKeySize(),
                record.serializedValueSize(),
                record.key(),
                record.value(),
                headers,
                record.leaderEpoch());
    }
}
