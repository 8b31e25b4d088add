package dev.blobshuffle.cli.status;

import dev.blobshuffle.kafka.internal.membership.MembershipScan;
import java.util.List;
import java.util.Optional;

/**
 * What one look at an application found.
 *
 * @param application its id
 * @param atMillis when it was looked at, milliseconds since the Unix epoch
 * @param lags its partitions, by topic and number
 * @param members those of the membership topic, by zone; empty if there is no such topic
 * @param store what its store holds; empty if no store is named
 * @param notes what is missing or incomplete, sentences
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

    /** Whether the brokers know anything of the application. */
    boolean isKnown() {
        return !lags.isEmpty() || members.isPresent();
    }
}
