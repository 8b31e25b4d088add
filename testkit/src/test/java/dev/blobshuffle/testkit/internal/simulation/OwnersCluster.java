package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.owner.ClaimsTopic;
import dev.blobshuffle.core.internal.owner.Step.Remember;
import dev.blobshuffle.core.internal.retention.NotificationLogs.Term;
import dev.blobshuffle.core.store.BlobId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A Kafka cluster: claims topics, and logs whose newest entries may be invisible for a while.
 * Guarded by the simulation's baton.
 */
final class OwnersCluster {
    private static final Comparator<Partition> ORDER =
            Comparator.comparing(Partition::stream).thenComparing(Partition::number);

    private final String id;
    private Map<String, Map<String, Long>> raises = new HashMap<>();
    private Map<String, List<Integer>> owners = new HashMap<>();
    private Map<Partition, Log> logs = new TreeMap<>(ORDER);

    /** An empty cluster. */
    OwnersCluster(String id) {
        this.id = id;
    }

    /** A log, and what replicas out of sync have beyond it. */
    static final class Log {
        private final List<Notification> entries = new ArrayList<>();
        private final List<Notification> elsewhere = new ArrayList<>();
        private String topicId;
        private int start;
        private int visible;
        private int leadership;
        private boolean isShort;

        Log(String topicId) {
            this.topicId = topicId;
        }

        Log copy() {
            Log copy = new Log(topicId);
            copy.entries.addAll(entries);
            copy.elsewhere.addAll(elsewhere);
            copy.start = start;
            copy.visible = visible;
            copy.leadership = leadership;
            copy.isShort = isShort;
            return copy;
        }

        long start() {
            return start;
        }

        long end() {
            return entries.size();
        }

        long visible() {
            return visible;
        }

        boolean isShort() {
            return isShort;
        }

        Term term() {
            return new Term(topicId, leadership);
        }

        Notification entry(long offset) {
            return entries.get((int) offset);
        }

        /** Appends an entry; returns whether readers see it now. */
        boolean append(Notification notification) {
            entries.add(notification);
            visible = isShort ? visible : entries.size();
            return !isShort;
        }

        void shrink() {
            isShort = true;
        }

        /** All replicas are in sync again, perhaps after the election of one that was not. */
        void heal(boolean isUnclean) {
            isShort = false;
            if (isUnclean) {
                entries.addAll(elsewhere);
                leadership++;
            }
            elsewhere.clear();
            visible = entries.size();
        }

        /** Another leader; it has what is visible. */
        void elect() {
            List<Notification> tail = entries.subList(visible, entries.size());
            elsewhere.addAll(tail);
            tail.clear();
            leadership++;
        }

        void purge(int count) {
            start = Math.min(visible, start + count);
        }

        void makeAgain(String nextId) {
            entries.clear();
            elsewhere.clear();
            start = 0;
            visible = 0;
            topicId = nextId;
        }

        boolean names(BlobId blob) {
            return entries.subList(start, entries.size()).stream()
                            .anyMatch(entry -> entry.blob().equals(blob))
                    || elsewhere.stream().anyMatch(entry -> entry.blob().equals(blob));
        }
    }

    /** The cluster as it is now, with the same id. */
    OwnersCluster copy() {
        OwnersCluster copy = new OwnersCluster(id);
        copy.become(this);
        return copy;
    }

    /** Takes over another state. */
    void become(OwnersCluster other) {
        raises = new HashMap<>();
        other.raises.forEach((topic, ids) -> raises.put(topic, new HashMap<>(ids)));
        owners = new HashMap<>();
        other.owners.forEach((topic, made) -> owners.put(topic, new ArrayList<>(made)));
        Map<Partition, Log> copied = new TreeMap<>(ORDER);
        other.logs.forEach((partition, log) -> copied.put(partition, log.copy()));
        logs = copied;
    }

    String id() {
        return id;
    }

    ClaimsTopic claims(String topic) {
        return new ClaimsTopic.Known(
                raises.getOrDefault(topic, Map.of()).keySet(), owners.getOrDefault(topic, List.of()));
    }

    void remember(String topic, Remember what) {
        if (what instanceof Remember.Raise raise) {
            raises.computeIfAbsent(topic, name -> new HashMap<>()).put(raise.id(), raise.counter());
        } else if (what instanceof Remember.Owner made) {
            owners.computeIfAbsent(topic, name -> new ArrayList<>()).add(made.owner());
        }
    }

    void forgetRaises(String topic, long before, Set<String> kept) {
        Set<String> stay = new HashSet<>(kept);
        raises.getOrDefault(topic, new HashMap<>())
                .entrySet()
                .removeIf(raise -> raise.getValue() < before && !stay.contains(raise.getKey()));
    }

    /** As if a claims topic were deleted. */
    void loseClaims(String topic) {
        raises.remove(topic);
        owners.remove(topic);
    }

    void addLog(Partition partition, String topicId) {
        logs.put(partition, new Log(topicId));
    }

    List<Partition> partitions() {
        return List.copyOf(logs.keySet());
    }

    Set<String> topics() {
        return logs.keySet().stream().map(Partition::stream).collect(Collectors.toSet());
    }

    Optional<Log> log(Partition partition) {
        return Optional.ofNullable(logs.get(partition));
    }

    /** Whether a notification leads to the blob, or still may. */
    boolean names(BlobId blob) {
        return logs.values().stream().anyMatch(log -> log.names(blob));
    }
}
