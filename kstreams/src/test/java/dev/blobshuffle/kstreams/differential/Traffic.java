package dev.blobshuffle.kstreams.differential;

import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.admin.Admin;

/**
 * The records of an application's repartition topics.
 *
 * @param notifications records that refer to blobs
 * @param plain records that were sent as they are
 */
public record Traffic(long notifications, long plain) {
    /** Reads all remaining records of the topics. */
    public static Traffic of(Admin admin, Log log, String applicationId) throws Exception {
        AtomicLong notifications = new AtomicLong();
        AtomicLong plain = new AtomicLong();
        for (String topic : Drain.shuffled(admin, applicationId)) {
            log.read(topic, record -> (Log.isNotification(record) ? notifications : plain).incrementAndGet());
        }
        return new Traffic(notifications.get(), plain.get());
    }
}
