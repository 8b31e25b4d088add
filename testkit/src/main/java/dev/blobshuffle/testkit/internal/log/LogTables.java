package dev.blobshuffle.testkit.internal.log;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.group.GroupTable;
import dev.blobshuffle.log.internal.group.LogPartition;
import dev.blobshuffle.log.internal.group.Member;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * The committed tables of a database in memory: those of the log, and one of a user. Guarded by the
 * database.
 */
final class LogTables {
    int nextTopic = 1;
    long nextWriter = 1;
    long nextBatch = 1;
    final NavigableMap<Integer, TopicRow> topics = new TreeMap<>();
    final Map<String, WriterRow> writers = new TreeMap<>();
    final NavigableMap<Long, BatchRow> batches = new TreeMap<>();
    final Map<WriterNumber, Long> numbers = new HashMap<>();
    final Map<BlobId, Set<Long>> references = new HashMap<>();
    final NavigableSet<BlobId> unreferenced = new TreeSet<>();
    final NavigableMap<BlobId, TombstoneRow> tombstones = new TreeMap<>();
    final Map<String, ClaimRow> claims = new TreeMap<>();
    /** Number of claims ever made. */
    long claimed;

    final NavigableMap<Long, Long> listed = new TreeMap<>();
    final NavigableMap<String, GroupRow> groups = new TreeMap<>();
    final NavigableMap<Long, AnnouncementRow> announcements = new TreeMap<>();
    final List<String> rows = new ArrayList<>();

    /** A topic, its staged batches, and the order of the others. */
    static final class TopicRow {
        LogTopic topic;
        boolean isDeleted;
        long next;
        long start;
        final NavigableSet<Long> inbox = new TreeSet<>();
        final NavigableMap<Long, Place> order = new TreeMap<>();

        TopicRow(LogTopic topic) {
            this.topic = topic;
        }

        /** When the newest remaining batch was sequenced. */
        long latestMillis() {
            return order.isEmpty() ? 0 : order.lastEntry().getValue().committedMillis();
        }

        TopicRow copy() {
            TopicRow copy = new TopicRow(topic);
            copy.isDeleted = isDeleted;
            copy.next = next;
            copy.start = start;
            copy.inbox.addAll(inbox);
            copy.order.putAll(order);
            return copy;
        }
    }

    /** The batch at a sequence, and when it was sequenced. */
    record Place(long id, long committedMillis) {}

    /**
     * A writer.
     *
     * @param next the number of its next batch
     * @param firsts for each epoch, its first number
     */
    record WriterRow(long id, String name, int epoch, long next, NavigableMap<Integer, Long> firsts) {
        WriterRow {
            firsts = Collections.unmodifiableNavigableMap(new TreeMap<>(firsts));
        }

        /** The writer of the next epoch. */
        WriterRow reopened(long first) {
            NavigableMap<Integer, Long> more = new TreeMap<>(firsts);
            more.put(epoch + 1, first);
            return new WriterRow(id, name, epoch + 1, first, more);
        }

        WriterRow next(long number) {
            return new WriterRow(id, name, epoch, number, firsts);
        }
    }

    /** A number of a writer. */
    record WriterNumber(long writer, long number) {}

    /** A batch. */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    record BatchRow(long id, int topic, WriterNumber number, byte[] entries, Set<BlobId> blobs) {}

    /** An announcement, and how long it is valid. */
    record AnnouncementRow(String text, long validUntilMillis) {}

    /**
     * A tombstone.
     *
     * @param claimed number of claims before it
     */
    record TombstoneRow(long deleteAfterMillis, long claimed) {}

    /**
     * A claim to a store.
     *
     * @param number of the claim, from 1
     * @param counter of the register's value that holds it
     */
    record ClaimRow(long number, long counter) {}

    /** A group. */
    static final class GroupRow {
        long generation;
        long activeMillis = Long.MIN_VALUE;
        final NavigableMap<UUID, MemberRow> members = new TreeMap<>();
        final NavigableMap<LogPartition, GroupTable.Row> partitions = new TreeMap<>();

        /** Whether it had a member, or was changed, since a time. */
        boolean isActive(long since) {
            return activeMillis >= since || members.values().stream().anyMatch(row -> row.leaseUntilMillis() > since);
        }

        GroupRow copy() {
            GroupRow copy = new GroupRow();
            copy.generation = generation;
            copy.activeMillis = activeMillis;
            copy.members.putAll(members);
            copy.partitions.putAll(partitions);
            return copy;
        }
    }

    /** A member of a group, and when its lease ends. */
    record MemberRow(Member member, long leaseUntilMillis) {}

    Optional<TopicRow> topic(int number) {
        return Optional.ofNullable(topics.get(number)).filter(row -> !row.isDeleted);
    }

    Optional<TopicRow> topic(String name) {
        return topics.values().stream()
                .filter(row -> !row.isDeleted && row.topic.name().equals(name))
                .findFirst();
    }

    /** Stages a batch. */
    void stage(BatchRow batch) {
        batches.put(batch.id, batch);
        numbers.put(batch.number, batch.id);
        batch.blobs.forEach(blob ->
                references.computeIfAbsent(blob, unknown -> new HashSet<>()).add(batch.id));
        TopicRow topic = topics.get(batch.topic);
        if (topic != null) {
            topic.inbox.add(batch.id);
        }
    }

    /** Removes a batch; blobs whose last reference it was become unreferenced. */
    void remove(long id) {
        BatchRow batch = batches.remove(id);
        if (batch == null) {
            return;
        }
        numbers.remove(batch.number, id);
        for (BlobId blob : batch.blobs) {
            Set<Long> users = references.getOrDefault(blob, Set.of());
            if (users.remove(id) && users.isEmpty()) {
                references.remove(blob);
                unreferenced.add(blob);
            }
        }
    }

    /** The tables as they are now, for a standby. */
    LogTables copy() {
        LogTables copy = new LogTables();
        copy.nextTopic = nextTopic;
        copy.nextWriter = nextWriter;
        copy.nextBatch = nextBatch;
        topics.forEach((number, topic) -> copy.topics.put(number, topic.copy()));
        copy.writers.putAll(writers);
        copy.batches.putAll(batches);
        copy.numbers.putAll(numbers);
        references.forEach((blob, users) -> copy.references.put(blob, new HashSet<>(users)));
        copy.unreferenced.addAll(unreferenced);
        copy.tombstones.putAll(tombstones);
        copy.claims.putAll(claims);
        copy.claimed = claimed;
        copy.listed.putAll(listed);
        groups.forEach((name, group) -> copy.groups.put(name, group.copy()));
        copy.announcements.putAll(announcements);
        copy.rows.addAll(rows);
        return copy;
    }
}
