package dev.blobshuffle.cli.status;

import dev.blobshuffle.kafka.internal.membership.MembershipScan;
import java.util.List;
import java.util.Optional;

/**
 * The status of an application at one time.
 *
 * @param application its id
 * @param atMillis time of the status, milliseconds since the Unix epoch
 * @param lags its partitions, by topic and number
 * @param members of the membership topic, by zone; empty if that topic does not exist
 * @param store content of its store; empty if no store is specified
 * @param notes sentences about missing or incomplete data
 */
record Status(
        String application,
        long atMillis,
        List<PartitionLag> lags,
        Optional<List<MembershipScan.Seen>> members,
        Optional<StoreState> store,
        List<String> notes) {
    /** Copies the lists. */
    Status {
        lags = List.copyOf(lags);
        notes = List.copyOf(notes);
    }

    /** Whether the brokers have any data of the application. */
    boolean isKnown() {
        return !lags.isEmpty() || members.isPresent();
    }
}
