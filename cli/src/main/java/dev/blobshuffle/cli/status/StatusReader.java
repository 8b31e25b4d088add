package dev.blobshuffle.cli.status;

import dev.blobshuffle.cli.brokers.ShuffledTopics;
import dev.blobshuffle.cli.messaging.Shown;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.kafka.internal.log.LogScan;
import dev.blobshuffle.kafka.internal.membership.MembershipScan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;

/**
 * Reads the status of an application: its topics and membership topic every time, its store at most
 * once a minute, because a listing costs requests. Owned by one thread.
 */
final class StatusReader {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final long STORE_MILLIS = 60_000;

    private final Admin admin;
    private final Map<String, Object> client;
    private final Application application;
    private final Optional<StoreLook> store;
    private final Time time;
    private Optional<StoreState> lastStore = Optional.empty();
    private long storeMillis;

    /**
     * The application to read.
     *
     * @param id its group
     * @param topics its shuffled topics
     * @param membership its membership topic
     * @param most entries of a log to read, per partition
     */
    record Application(String id, ShuffledTopics topics, String membership, long most) {}

    StatusReader(
            Admin admin, Map<String, Object> client, Application application, Optional<StoreLook> store, Time time) {
        this.admin = admin;
        this.client = client;
        this.application = application;
        this.store = store;
        this.time = time;
    }

    /**
     * Reads the status.
     *
     * @throws ExecutionException the brokers failed
     */
    Status look() throws ExecutionException, InterruptedException {
        List<String> notes = new ArrayList<>();
        Set<String> names = admin.listTopics().names().get();
        List<TopicPartition> partitions = describe(application.topics().names(admin));
        LogScan scan = new LogScan(client, "read_committed", time);
        LagScan unread = new LagScan(admin, scan, application.most());
        List<PartitionLag> lags = unread.of(application.id(), partitions);
        if (partitions.isEmpty()) {
            notes.add("No topic of " + application.id() + " is shuffled. Check --application-id, or give --topics.");
        } else if (lags.stream().allMatch(lag -> lag.committed().isEmpty())) {
            notes.add("Group " + application.id() + " has committed nothing, so the lag counts from the logs' starts.");
        }
        Optional<List<MembershipScan.Seen>> members = members(names);
        if (members.isEmpty()) {
            notes.add("There is no membership topic " + application.membership()
                    + ", so members and zones are unknown. If it has another name, give --membership.");
        }
        lookIntoStore(notes);
        store.ifPresent(look -> compare(look.store(), unread, notes));
        return new Status(application.id(), time.wallMillis(), lags, members, lastStore, notes);
    }

    /** A wrong store would look like one without blobs. */
    private static void compare(BlobStore store, LagScan unread, List<String> notes) {
        long elsewhere = unread.elsewhere(store.fingerprint());
        if (elsewhere > 0) {
            notes.add(Shown.count(elsewhere, "notification") + (elsewhere == 1 ? " leads" : " lead")
                    + " to another store than " + store.location()
                    + ". Give the store of the application: --store.");
        }
    }

    private void lookIntoStore(List<String> notes) throws InterruptedException {
        if (store.isEmpty()) {
            notes.add("No store is named, so blobs and cost are unknown. Give --store.");
            return;
        }
        long now = time.wallMillis();
        if (lastStore.isEmpty() || now - storeMillis >= STORE_MILLIS) {
            try {
                lastStore = Optional.of(store.get().look(now));
                storeMillis = now;
            } catch (CompletionException e) {
                lastStore = Optional.empty();
                Throwable cause = e.getCause() == null ? e : e.getCause();
                notes.add("The store does not answer: " + cause.getMessage());
            }
        }
    }

    private Optional<List<MembershipScan.Seen>> members(Set<String> all)
            throws ExecutionException, InterruptedException {
        if (!all.contains(application.membership())) {
            return Optional.empty();
        }
        List<TopicPartition> partitions = describe(Set.of(application.membership()));
        return Optional.of(MembershipScan.read(new LogScan(client, "read_uncommitted", time), partitions, PATIENCE));
    }

    private List<TopicPartition> describe(Set<String> names) throws ExecutionException, InterruptedException {
        Map<String, TopicDescription> topics =
                admin.describeTopics(names).allTopicNames().get();
        return topics.values().stream()
                .flatMap(topic -> topic.partitions().stream().map(p -> new TopicPartition(topic.name(), p.partition())))
                .toList();
    }
}
