package dev.blobshuffle.core.internal.claim;

import dev.blobshuffle.core.internal.owner.ClaimsTopic;
import dev.blobshuffle.core.internal.owner.Member;
import dev.blobshuffle.core.internal.owner.Promise;
import dev.blobshuffle.core.internal.owner.Step.Remember;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The claims topics of a cluster, in memory. Thread-safe. */
public final class MemoryClaims {
    private final String cluster;
    private final Map<String, Set<String>> raises = new HashMap<>();
    private final Map<String, List<Integer>> owners = new HashMap<>();
    private final Map<String, String> refusals = new HashMap<>();

    /** An empty cluster. */
    public MemoryClaims(String cluster) {
        this.cluster = cluster;
    }

    /** A copy of the current state of the cluster, with the same id. */
    public synchronized MemoryClaims copy() {
        MemoryClaims copy = new MemoryClaims(cluster);
        raises.forEach((topic, ids) -> copy.raises.put(topic, new HashSet<>(ids)));
        owners.forEach((topic, made) -> copy.owners.put(topic, new ArrayList<>(made)));
        return copy;
    }

    /** Makes a topic unusable. */
    public synchronized void refuse(String topic, String reason) {
        refusals.put(topic, reason);
    }

    /** Makes a topic usable again. */
    public synchronized void allow(String topic) {
        refusals.remove(topic);
    }

    /** Simulates that a topic is deleted and created again. */
    public synchronized void forgetOwners(String topic) {
        owners.remove(topic);
    }

    private synchronized ClaimsTopic read(String topic) {
        String refusal = refusals.get(topic);
        return refusal == null
                ? new ClaimsTopic.Known(raises.getOrDefault(topic, Set.of()), owners.getOrDefault(topic, List.of()))
                : new ClaimsTopic.Unreadable(refusal);
    }

    private synchronized Optional<String> remember(String topic, Remember what) {
        if (refusals.containsKey(topic)) {
            return Optional.of(refusals.get(topic));
        }
        if (what instanceof Remember.Raise raise) {
            raises.computeIfAbsent(topic, name -> new HashSet<>()).add(raise.id());
        } else if (what instanceof Remember.Owner made) {
            owners.computeIfAbsent(topic, name -> new ArrayList<>()).add(made.owner());
        }
        return Optional.empty();
    }

    /** An application with its own claims topic. */
    public OwnerSource member(String topic, Promise promise) {
        OwnerMemory memory = new OwnerMemory() {
            @Override
            public ClaimsTopic read(String name) {
                return MemoryClaims.this.read(name);
            }

            @Override
            public Optional<String> remember(Remember what) {
                return MemoryClaims.this.remember(topic, what);
            }

            @Override
            public void forget(long before, Set<String> kept) {
                // Keeps all raises.
            }
        };
        return fingerprint -> new OwnerSource.Seat(new Member(cluster, topic, promise), memory);
    }
}
