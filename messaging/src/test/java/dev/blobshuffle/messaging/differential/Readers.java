package dev.blobshuffle.messaging.differential;

import dev.blobshuffle.messaging.ConsumerGroups.ConsumerGroup;
import dev.blobshuffle.messaging.ConsumerGroups.Progress;
import dev.blobshuffle.messaging.ResetPolicy;
import dev.blobshuffle.messaging.TopicPartition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The members of one consumer group, and its positions. */
final class Readers implements AutoCloseable {
    /** After this time, a commit includes positions that were only scanned. */
    private static final long SCANNED_NANOS = 4_000_000_000L;

    private final Session session;
    private final String group;
    private final List<Member> members = new ArrayList<>();
    private long opened;
    private boolean exists;

    /** Committed positions by partitions; null: none. */
    private final Map<String, Map<Integer, Long>> committed = new TreeMap<>();

    Readers(Session session, String group) {
        this.session = session;
        this.group = group;
    }

    boolean isOpen() {
        return !members.isEmpty();
    }

    private @Nullable Long committed(ModelTopic topic, int partition) {
        return positions(topic).get(partition);
    }

    private Map<Integer, Long> positions(ModelTopic topic) {
        return committed.computeIfAbsent(topic.name, any -> new HashMap<>());
    }

    /**
     * The position up to which all groups have consumed a topic; empty: no group does, or not all.
     */
    OptionalLong consumed(ModelTopic topic) {
        Map<Integer, Long> positions = positions(topic);
        if (positions.size() < topic.partitions()) {
            return OptionalLong.empty();
        }
        return positions.values().stream().mapToLong(each -> each >>> 24).min();
    }

    /** Opens the first member, if there are topics and it is not open. */
    boolean open() {
        if (members.isEmpty() && !session.topics().isEmpty()) {
            opened = System.nanoTime();
            add(session.setup.storage());
        }
        return isOpen();
    }

    private void add(World.Storage storage) {
        List<String> names = session.topics().stream().map(each -> each.name).toList();
        exists = true;
        session.topics().forEach(each -> session.learn(storage, each));
        members.add(new Member(session.world, session.setup, storage, group, names));
        balance();
    }

    /** Lets all members follow the group until each partition has its reader. */
    private void balance() {
        Set<TopicPartition> all = session.topics().stream()
                .flatMap(topic -> java.util.stream.IntStream.range(0, topic.partitions())
                        .mapToObj(each -> new TopicPartition(topic.name, each)))
                .collect(Collectors.toSet());
        long deadline = System.nanoTime() + World.PATIENCE.toNanos();
        members.forEach(Member::hold);
        while (!isBalanced(all)) {
            members.forEach(Member::follow);
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("The group does not come to rest: "
                        + members.stream().map(each -> each.real.assignment()).toList());
            }
        }
        for (Member member : members) {
            member.unknown().forEach(each -> member.adopt(begin(each)));
            member.release();
        }
    }

    private boolean isBalanced(Set<TopicPartition> all) {
        List<TopicPartition> owned = members.stream()
                .flatMap(each -> each.real.assignment().stream())
                .toList();
        boolean areEven = members.stream()
                .allMatch(
                        each -> Math.abs(each.real.assignment().size() * members.size() - all.size()) < members.size());
        boolean haveJoined = describe().members().size() == members.size();
        return haveJoined
                && areEven
                && owned.size() == all.size()
                && Set.copyOf(owned).equals(all);
    }

    private ModelReading begin(TopicPartition partition) {
        ModelTopic topic = session.topic(partition.topic());
        ModelReading reading = new ModelReading(topic, partition.partition(), committed(topic, partition.partition()));
        boolean isKept = reading.isUnknown() && session.setup.reset() == ResetPolicy.LATEST;
        reading.resolve(session.setup.reset());
        if (isKept) {
            positions(topic).put(partition.partition(), reading.least());
        }
        return reading;
    }

    private String each(java.util.function.Function<Member, String> call) {
        if (!open()) {
            return "no topic";
        }
        return members.stream().map(call).collect(Collectors.joining(", "));
    }

    String take(int most) {
        return each(member -> member.take(most));
    }

    String position(String partition) {
        return each(member -> member.position(partition));
    }

    String lag() {
        return each(Member::lag);
    }

    String seek(String partition, ModelReading.Place place, long position) {
        return each(member -> member.seek(partition, place, position));
    }

    String seekTo(String partition, long millis) {
        return each(member -> member.seekTo(partition, millis));
    }

    String pause(String partition, boolean pauses) {
        return each(member -> member.pause(partition, pauses));
    }

    String commit() {
        return each(member -> {
            String said = member.commit();
            learn(member);
            return said;
        });
    }

    /** Called before a transaction commits the first member's positions. */
    String beforeCommit() {
        members.get(0).beforeCommit();
        return "";
    }

    String afterCommit() {
        learn(members.get(0));
        return " with positions";
    }

    void rolledBack() {
        members.get(0).rolledBack();
    }

    Member first() {
        return members.get(0);
    }

    /** Checks the committed positions of a member, and learns the exact ones. */
    private void learn(Member member) {
        Map<TopicPartition, Progress> shown = describe().partitions();
        boolean isOld = System.nanoTime() - opened > SCANNED_NANOS;
        for (ModelReading each : member.readings.values()) {
            OptionalLong position = shown.get(each.name()).position();
            boolean isMoved = each.isDelivered || (each.isSought && each.failure() == null);
            boolean isIn = position.isPresent() && Member.isIn(each, position.getAsLong());
            boolean isSame = isCommitted(each.topic, each.partition, position);
            if (!isIn && (isMoved || !isSame)) {
                throw unexpected(each.topic, each.partition, position);
            }
            // The machine may have been suspended, so the partition was scanned for longer than it
            // seems.
            if (isMoved || (isIn && (isOld || !isSame))) {
                positions(each.topic).put(each.partition, position.getAsLong());
                each.committed(position.getAsLong());
            }
        }
    }

    private boolean isCommitted(ModelTopic topic, int partition, OptionalLong shown) {
        Long before = committed(topic, partition);
        return before == null ? shown.isEmpty() : shown.equals(OptionalLong.of(before));
    }

    private AssertionError unexpected(ModelTopic topic, int partition, OptionalLong shown) {
        return new AssertionError("The committed position of " + topic.name + "-" + partition + " is " + shown
                + ", and was " + committed(topic, partition) + ".");
    }

    private ConsumerGroup describe() {
        return session.messaging()
                .groups()
                .describe(group)
                .orElseGet(() -> new ConsumerGroup(group, Map.of(), Map.of()));
    }

    /** The operators' view. */
    String inspect() {
        boolean isShown = session.messaging().groups().list().contains(group);
        if (isShown != exists) {
            throw new AssertionError("The group is " + (exists ? "" : "not ") + "there, and the list has another say.");
        } else if (!exists) {
            return "no group";
        }
        ConsumerGroup shown = describe();
        if (shown.members().size() != members.size()) {
            throw new AssertionError("The group has the members " + shown.members());
        }
        shown.partitions().forEach((partition, progress) -> {
            ModelTopic topic = session.topic(partition.topic());
            if (!isCommitted(topic, partition.partition(), progress.position())) {
                throw unexpected(topic, partition.partition(), progress.position());
            }
            Long position = committed(topic, partition.partition());
            OptionalLong lag =
                    position == null ? OptionalLong.empty() : OptionalLong.of(topic.next() - (position >>> 24));
            if (!progress.lag().equals(lag)) {
                throw new AssertionError("The lag of " + partition + " is " + progress.lag() + " instead of " + lag);
            }
        });
        return "right";
    }

    /** A second member joins or leaves. Everything read is committed, because partitions move. */
    String rebalance(boolean commits) {
        if (!open()) {
            return "no topic";
        }
        commit();
        if (members.size() == 1) {
            add(session.setup.storage().other());
            return "joined";
        }
        Member leaving = members.get(1);
        if (!commits) {
            leaving.take(2);
        }
        members.remove(leaving);
        leaving.close();
        balance();
        return "left";
    }

    /** Called when partitions were added. */
    void grow() {
        if (isOpen()) {
            commit();
            balance();
        }
    }

    String lose(ModelTopic topic) {
        List<String> said = new ArrayList<>();
        for (Member each : members) {
            String committed = each.loseTopic(topic);
            said.add(committed);
            if (committed.equals("committed")) {
                learn(each);
            }
        }
        closeMembers();
        return String.join(", ", said);
    }

    void forget(ModelTopic topic) {
        committed.remove(topic.name);
    }

    String seekGroup(String topic, @Nullable ModelTopic known, long millis) {
        String expected = "sought";
        if (known == null) {
            expected = Outcome.failure(dev.blobshuffle.log.failure.TopicAbsentException.class);
        } else if (isOpen()) {
            expected = Outcome.failure(IllegalStateException.class);
        }
        String said = Session.expect(expected, Outcome.of(() -> {
            session.messaging().groups().seek(group, topic, java.time.Instant.ofEpochMilli(millis));
            return "sought";
        }));
        if (known == null) {
            session.forget(session.setup.storage(), topic);
        } else {
            session.learn(session.setup.storage(), known);
        }
        if (said.equals("sought")) {
            exists = true;
            for (int i = 0; i < known.partitions(); i++) {
                positions(known).put(i, ModelTopic.at(known.sequenceAt(millis)));
            }
        }
        return said;
    }

    String delete() {
        String said = Session.expect(
                isOpen() ? Outcome.failure(IllegalStateException.class) : "deleted " + exists,
                Outcome.of(() -> "deleted " + session.messaging().groups().delete(group)));
        if (!isOpen()) {
            committed.clear();
            exists = false;
        }
        return said;
    }

    /** Closes all members without a commit. */
    void closeMembers() {
        members.forEach(Member::close);
        members.clear();
    }

    @Override
    public void close() {
        closeMembers();
        boolean ignored = session.messaging().groups().delete(group);
    }
}
