package dev.blobshuffle.core.internal.owner;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreRefusedException;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.Registers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The content of a store's owners' register.
 *
 * @param counter increases with each value
 * @param raises the latest raise of each cluster
 * @param doubts the doubts of clusters with an instance that cannot verify the raise
 * @param contests for each contested cluster, why none of its owners is swept
 * @param owners the cluster, topic and promise of each owner
 * @param lowers for some owners, a smaller promise that does not hold yet
 */
public record OwnerText(
        long counter,
        Map<String, Raise> raises,
        Map<String, Doubt> doubts,
        Map<String, String> contests,
        Map<Integer, Owner> owners,
        Map<Integer, Lower> lowers) {
    /** The register's name. */
    public static final String REGISTER = "owners";

    /** The value of a store that no instance has used. */
    public static final OwnerText NONE = new OwnerText(0, Map.of(), Map.of(), Map.of(), Map.of(), Map.of());

    /** The most characters of a reason; a longer reason is truncated. */
    static final int MOST_REASON = 160;

    /** In place of a cluster: the owner is an application's, which lives by a lease. */
    public static final String LEASED = "lease";

    private static final int MOST_NAME = 249;

    /** Replaces the claims topic of an owner that no instance claims. */
    public static final String NO_TOPIC = "-";

    /**
     * A raise.
     *
     * @param topic the claims topic that holds its id
     */
    public record Raise(String topic, String id) {}

    /**
     * A doubt.
     *
     * @param token keeps changing while the doubt lasts
     */
    public record Doubt(String token, String reason) {}

    /** The cluster and claims topic of an owner, and the promise of its members. */
    public record Owner(String cluster, String topic, Promise promise) {
        boolean isOf(Member member) {
            return isOf(member.cluster(), member.topic());
        }

        boolean isOf(String otherCluster, String otherTopic) {
            return cluster.equals(otherCluster) && topic.equals(otherTopic);
        }
    }

    /** A smaller promise. */
    public record Lower(Promise promise, String token) {}

    /** Copies the maps. */
    public OwnerText {
        raises = Map.copyOf(raises);
        doubts = Map.copyOf(doubts);
        contests = Map.copyOf(contests);
        owners = Map.copyOf(owners);
        lowers = Map.copyOf(lowers);
    }

    /** The latest raise of a cluster. */
    public Optional<Raise> raise(String cluster) {
        return Optional.ofNullable(raises.get(cluster));
    }

    /** The token of a cluster's doubt. */
    public Optional<String> token(String cluster) {
        return Optional.ofNullable(doubts.get(cluster)).map(Doubt::token);
    }

    /** Whether none of a cluster's owners may be swept. */
    public boolean isContested(String cluster) {
        return contests.containsKey(cluster);
    }

    /**
     * The text with a line for the blobs without an owner, which no instance claims. Their writers
     * sent notifications within 45 minutes.
     */
    public OwnerText withFormer(String cluster) {
        Promise promise = new Promise(Duration.ofMinutes(45), Optional.empty());
        return owners.containsKey(BlobId.NO_OWNER)
                ? this
                : owned(BlobId.NO_OWNER, new Owner(cluster, NO_TOPIC, promise));
    }

    /**
     * The text with another owner, which an application has for as long as its lease; empty if the
     * number is taken.
     *
     * @throws StoreRefusedException the register has no room
     */
    public Optional<OwnerText> withLeased(int owner, Duration lease) {
        if (owners.containsKey(owner)) {
            return Optional.empty();
        }
        OwnerText next = owned(owner, new Owner(LEASED, LeaseText.REGISTER, new Promise(lease, Optional.empty())));
        next.requireRoom();
        return Optional.of(next);
    }

    /** Whether an owner is an application's that has, or had, a lease. */
    public boolean isLeased(int owner) {
        Owner line = owners.get(owner);
        return line != null && line.cluster().equals(LEASED);
    }

    /** The text without an owner that was an application's with a lease. */
    public OwnerText withoutLeased(int owner) {
        return isLeased(owner) ? forgotten(owner) : this;
    }

    /** The text in which leases are not contested. */
    public OwnerText leasesSettled() {
        return settled(LEASED);
    }

    /** Why an instance of a cluster cannot verify its raise; empty if there is no doubt. */
    public Optional<String> doubt(String cluster) {
        return Optional.ofNullable(doubts.get(cluster)).map(Doubt::reason);
    }

    /** Why none of a cluster's owners may be swept; empty if there is no contest. */
    public Optional<String> contest(String cluster) {
        return Optional.ofNullable(contests.get(cluster));
    }

    /**
     * The text with a contest of each cluster that has none, so that nothing is swept.
     *
     * @param more clusters that may have no owner yet
     */
    public OwnerText held(String reason, Set<String> more) {
        Set<String> clusters = new HashSet<>(more);
        owners.values().forEach(owner -> clusters.add(owner.cluster()));
        OwnerText held = this;
        for (String cluster : clusters) {
            held = held.isContested(cluster) ? held : held.contested(cluster, reason);
        }
        return held;
    }

    /**
     * The owner that the members of a claims topic can prove as their own; empty if they create a
     * new one.
     *
     * @param known the content of the topic
     */
    public Optional<Integer> proven(String cluster, String topic, ClaimsTopic.Known known) {
        List<Integer> made = known.owners();
        for (int index = made.size() - 1; index >= 0; index--) {
            Owner line = owners.get(made.get(index));
            if (line != null && line.isOf(cluster, topic)) {
                return Optional.of(made.get(index));
            }
        }
        return Optional.empty();
    }

    OwnerText raised(String cluster, Raise raise) {
        return new OwnerText(counter, with(raises, cluster, raise), doubts, contests, owners, lowers);
    }

    OwnerText doubted(String cluster, String token, String reason) {
        return new OwnerText(
                counter, raises, with(doubts, cluster, new Doubt(token, line(reason))), contests, owners, lowers);
    }

    OwnerText trusted(String cluster) {
        return new OwnerText(counter, raises, without(doubts, cluster), contests, owners, lowers);
    }

    OwnerText contested(String cluster, String reason) {
        return new OwnerText(counter, raises, doubts, with(contests, cluster, line(reason)), owners, lowers);
    }

    OwnerText settled(String cluster) {
        return new OwnerText(counter, raises, doubts, without(contests, cluster), owners, lowers);
    }

    OwnerText owned(int owner, Owner line) {
        return new OwnerText(counter, raises, doubts, contests, with(owners, owner, line), lowers);
    }

    /**
     * The text without an owner, and without the raise of its cluster if that was its last owner.
     */
    OwnerText forgotten(int owner) {
        Owner line = owners.get(owner);
        if (line == null) {
            return this;
        }
        String cluster = line.cluster();
        Map<Integer, Owner> rest = without(owners, owner);
        boolean isLast =
                rest.values().stream().noneMatch(other -> other.cluster().equals(cluster));
        return new OwnerText(
                counter,
                isLast ? without(raises, cluster) : raises,
                isLast ? without(doubts, cluster) : doubts,
                contests,
                rest,
                without(lowers, owner));
    }

    OwnerText lowered(int owner, Lower lower) {
        return new OwnerText(counter, raises, doubts, contests, owners, with(lowers, owner, lower));
    }

    OwnerText keeps(int owner) {
        return new OwnerText(counter, raises, doubts, contests, owners, without(lowers, owner));
    }

    /** This text as the value after another; empty if only the counter differs. */
    public Optional<OwnerText> after(OwnerText before) {
        OwnerText same = new OwnerText(before.counter, raises, doubts, contests, owners, lowers);
        return same.equals(before)
                ? Optional.empty()
                : Optional.of(new OwnerText(before.counter + 1, raises, doubts, contests, owners, lowers));
    }

    private static <K, V> Map<K, V> with(Map<K, V> map, K key, V value) {
        Map<K, V> next = new HashMap<>(map);
        next.put(key, value);
        return next;
    }

    private static <K, V> Map<K, V> without(Map<K, V> map, K key) {
        if (!map.containsKey(key)) {
            return map;
        }
        Map<K, V> next = new HashMap<>(map);
        next.remove(key);
        return next;
    }

    /** The reason as one line of ASCII, so that its length in bytes is known. */
    private static String line(String reason) {
        String line = reason.replaceAll("[^ -~]", " ").strip();
        return line.length() <= MOST_REASON ? line : line.substring(0, MOST_REASON);
    }

    /**
     * Refuses a text that could become too long through doubts, contests and smaller promises.
     * Called before an owner is added, so that there is always room for the lines that protect
     * blobs.
     */
    void requireRoom() {
        OwnerText most = this;
        String reason = "-".repeat(MOST_REASON);
        String token = "-".repeat(32);
        for (Owner owner : owners.values()) {
            most = most.raises.containsKey(owner.cluster())
                    ? most
                    : most.raised(owner.cluster(), new Raise("-".repeat(MOST_NAME), token));
        }
        for (String cluster : most.raises.keySet()) {
            most = most.raised(cluster, new Raise("-".repeat(MOST_NAME), token))
                    .doubted(cluster, token, reason)
                    .contested(cluster, reason);
        }
        for (Map.Entry<Integer, Owner> owner : owners.entrySet()) {
            most = most.lowered(owner.getKey(), new Lower(owner.getValue().promise(), token));
        }
        int bytes = most.unchecked().getBytes(StandardCharsets.UTF_8).length;
        if (bytes > Registers.MOST_BYTES) {
            throw new StoreRefusedException("Cannot add an owner to a store: its " + owners.size() + " owners and "
                    + raises.size() + " clusters may need " + bytes + " bytes of register " + REGISTER + ", more than "
                    + Registers.MOST_BYTES + ". Forget owners that are no longer used (blobshuffle gc --forget),"
                    + " or give some applications a prefix of their own.");
        }
    }

    /**
     * The text of the value in the register.
     *
     * @throws StoreRefusedException the text has more bytes than a register may hold
     */
    public String text() {
        String text = unchecked();
        Registers.bytes(REGISTER, text);
        return text;
    }

    private String unchecked() {
        StringBuilder text = new StringBuilder(OwnerTextReader.HEAD + "\ncounter " + counter + "\n");
        new TreeMap<>(raises)
                .forEach((cluster, raise) ->
                        text.append("cluster " + cluster + " " + raise.topic() + " " + raise.id() + "\n"));
        new TreeMap<>(doubts)
                .forEach((cluster, doubt) ->
                        text.append("doubt " + cluster + " " + doubt.token() + " " + doubt.reason() + "\n"));
        new TreeMap<>(contests).forEach((cluster, reason) -> text.append("contest " + cluster + " " + reason + "\n"));
        new TreeMap<>(owners)
                .forEach((owner, line) -> text.append("owner " + BlobId.hex(owner) + " " + line.cluster() + " "
                        + line.topic() + " " + line.promise().words() + "\n"));
        new TreeMap<>(lowers)
                .forEach((owner, lower) -> text.append(
                        "lower " + BlobId.hex(owner) + " " + lower.promise().words() + " " + lower.token() + "\n"));
        return text.toString();
    }

    /**
     * Parses a value.
     *
     * @throws InvalidSettingsException the text is not a valid value: a newer version or another
     *     program wrote it
     */
    public static OwnerText parse(String text) {
        return new OwnerTextReader().read(text);
    }

    static void requireName(String name) {
        if (!name.matches("[!-~]{1," + MOST_NAME + "}")) {
            throw new InvalidSettingsException("Cannot use '" + name + "' in a store's register: a name has 1 to "
                    + MOST_NAME + " visible ASCII characters. Choose another name.");
        }
    }
}
