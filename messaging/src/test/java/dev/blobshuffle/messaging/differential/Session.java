package dev.blobshuffle.messaging.differential;

import dev.blobshuffle.log.internal.LogName;
import dev.blobshuffle.messaging.Messaging;
import dev.blobshuffle.messaging.ResetPolicy;
import dev.blobshuffle.messaging.Serde;
import dev.blobshuffle.messaging.Subscription;
import dev.blobshuffle.messaging.Topic;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One run of a program: its resources, and the state of the model. */
final class Session implements AutoCloseable {
    final World world;
    final Setup setup;
    private final int number;
    private final @Nullable ModelTopic[] topics;

    /** The topics that the publishers of an instance have cached by name; they may be gone. */
    private final Map<World.Storage, Map<String, Known>> known = new EnumMap<>(World.Storage.class);

    private final List<Writer> writers = new ArrayList<>();
    private Readers readers;
    private @Nullable Booking booking;
    private int records;
    private int inserts;
    private int kept;

    Session(World world, Setup setup, int number) {
        this.world = world;
        this.setup = setup;
        this.number = number;
        topics = new ModelTopic[setup.partitions().size()];
        for (World.Storage storage : World.Storage.values()) {
            known.put(storage, new HashMap<>());
        }
        for (int i = 0; i < topics.length; i++) {
            create(i, setup.partitions().get(i));
        }
        writers.add(new Writer(this, setup.storage(), name("writer")));
        writers.add(new Writer(this, setup.storage().other(), name("other writer")));
        readers = new Readers(this, name("group"));
    }

    /** Fails if the result of a call differs from the model's. */
    static String expect(String expected, String actual) {
        if (!expected.equals(actual)) {
            throw new AssertionError("--- the model\n    " + expected + "\n--- messaging\n    " + actual
                    + (actual.startsWith("throws") ? "\n" + Outcome.last() : ""));
        }
        return actual;
    }

    private String name(String suffix) {
        return setup.name().text + "-" + number + "-" + suffix;
    }

    /** Programs may name more topics than exist. */
    private int at(int slot) {
        return slot % topics.length;
    }

    private String topicName(int slot) {
        return name(String.valueOf(at(slot)));
    }

    Messaging messaging() {
        return world.messaging(setup.storage());
    }

    List<ModelTopic> topics() {
        return Arrays.stream(topics).filter(Objects::nonNull).toList();
    }

    ModelTopic topic(String name) {
        return topics().stream()
                .filter(each -> each.name.equals(name))
                .findAny()
                .orElseThrow();
    }

    /** A topic in an instance's cache. Partitions may have been added since. */
    record Known(ModelTopic topic, int partitions) {}

    /** The topic that an instance's publisher has for a name. */
    @Nullable
    Known known(World.Storage storage, String name, @Nullable ModelTopic current) {
        return known.get(storage)
                .computeIfAbsent(name, any -> current == null ? null : new Known(current, current.partitions()));
    }

    void forget(World.Storage storage, String name) {
        known.get(storage).remove(name);
    }

    /** An instance refreshes its cached topic. */
    void learn(World.Storage storage, ModelTopic topic) {
        known.get(storage).put(topic.name, new Known(topic, topic.partitions()));
    }

    void forgetAll(World.Storage storage) {
        known.get(storage).clear();
    }

    /** Sequences all committed batches. */
    String settle() {
        for (ModelTopic topic : topics()) {
            world.sequence(topic).forEach(topic::place);
            topic.checkPlaced();
        }
        return "";
    }

    private String flushOthers(@Nullable Writer writer) {
        return writers.stream()
                .filter(each -> each != writer && each.isDirty())
                .map(Writer::flush)
                .collect(Collectors.joining());
    }

    String publish(int writer, int slot, Draft draft) {
        Writer target = writers.get(writer);
        return flushOthers(target) + target.publish(topicName(slot), topics[at(slot)], draft, ++records);
    }

    String flush(int writer) {
        return writers.get(writer).flush();
    }

    String openAgain(int writer) {
        Writer target = writers.get(writer);
        if (target.inTransaction) {
            return "in a transaction";
        }
        return flushOthers(null) + target.openAgain(topics().isEmpty() ? null : topics().get(0));
    }

    /** Opens readers after everything is sequenced. */
    Readers readers() {
        String ignored = flushOthers(null);
        return readers;
    }

    String begin(int writer, boolean withReaders) {
        Writer target = writers.get(writer);
        String flushed = flushOthers(null);
        Readers own = withReaders && readers.open() ? readers : null;
        boolean isFree = !target.inTransaction;
        if (isFree && booking != null) {
            return flushed + "the other writer has one";
        }
        return flushed
                + expect(isFree ? "begun" : Outcome.failure(IllegalStateException.class), Outcome.of(() -> {
                    booking = new Booking(
                            this,
                            target,
                            own,
                            own == null ? world.messaging(target.storage).begin(target.real()) : begin(target, own));
                    return "begun";
                }));
    }

    private dev.blobshuffle.messaging.Transaction begin(Writer writer, Readers own) {
        return world.messaging(writer.storage).begin(writer.real(), own.first().real);
    }

    String run(Statement statement) {
        return booking == null ? "no transaction" : booking.run(statement);
    }

    void insert(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "insert into public.bill (topic, part, position, value) values (?, 0, ?, '')")) {
            statement.setString(1, "program-" + number);
            statement.setInt(2, ++inserts);
            statement.executeUpdate();
        }
    }

    void inserted() {
        kept++;
    }

    String end(boolean commits) {
        Booking ending = booking;
        if (ending == null) {
            return "no transaction";
        }
        String flushed = flushOthers(null);
        booking = null;
        return flushed + (commits ? ending.commit() : ending.rollBack());
    }

    /** Ends a transaction before the reader whose positions it commits. */
    private void endWithReaders() {
        if (booking != null && booking.hasReaders()) {
            String ignored = end(false);
        }
    }

    /** Publishes in the open transaction if there is one, or else in one of the caller's own. */
    String outbox(int slot, Outboxes.Way way, Draft draft, int times, boolean commits) throws SQLException {
        String said = flushOthers(null);
        Booking open = booking;
        List<Runnable> written = new ArrayList<>();
        Connection connection = world.connection;
        for (int i = 0; i < times; i++) {
            int record = ++records;
            ModelTopic topic = topics[at(slot)];
            OptionalInt partition = Writer.partition(draft, topic);
            Outboxes.Call call = Outboxes.call(topicName(slot), way, draft, record, partition);
            if (open != null) {
                said = open.outbox(call, topic, record);
                continue;
            }
            said = expect(call.expected(topic), Outcome.of(() -> call.run(connection)));
            if (!said.equals("published")) {
                connection.rollback();
                return said;
            }
            ModelRecord sent = call.record(record, topic);
            written.add(() -> topic.arrive(sent));
        }
        if (commits) {
            connection.commit();
            written.forEach(Runnable::run);
        } else {
            connection.rollback();
        }
        return said + settle();
    }

    String addPartition(int slot) {
        ModelTopic topic = topics[at(slot)];
        if (topic == null) {
            return "no topic";
        }
        String flushed = flushOthers(null);
        endWithReaders();
        messaging().topics().change(described(topic, topic.partitions() + 1));
        topic.addPartition();
        readers.grow();
        return flushed + "added";
    }

    private Topic described(ModelTopic topic, int partitions) {
        return setup.retention().of(Topic.named(topic.name).partitions(partitions));
    }

    String delete(int slot) {
        ModelTopic topic = topics[at(slot)];
        String flushed = flushOthers(null);
        endWithReaders();
        String deleted = expect(
                "deleted " + (topic != null),
                Outcome.of(() -> "deleted " + messaging().topics().delete(topicName(slot))));
        if (topic == null) {
            return flushed + deleted;
        }
        topic.isDeleted = true;
        topics[at(slot)] = null;
        String lost = readers.lose(topic);
        readers.forget(topic);
        return flushed + deleted + " " + lost;
    }

    String create(int slot, int partitions) {
        ModelTopic before = topics[at(slot)];
        String name = topicName(slot);
        Topic described = setup.retention().of(Topic.named(name).partitions(partitions));
        String said = expect(
                "created " + (before == null),
                Outcome.of(() -> "created " + messaging().topics().create(described)));
        if (before == null) {
            if (readers != null) {
                endWithReaders();
                readers.closeMembers();
            }
            topics[at(slot)] = new ModelTopic(name, world.number(name), partitions, setup.retention());
            Topic found = messaging().topics().find(name).orElseThrow();
            said += found.equals(described) ? "" : ", and found as " + found;
        }
        return expect("created " + (before == null), said);
    }

    String rebalance(boolean commits) {
        String flushed = flushOthers(null);
        endWithReaders();
        return flushed + readers.rebalance(commits);
    }

    String closeMembers() {
        endWithReaders();
        readers.closeMembers();
        return "closed";
    }

    String seekGroup(int slot, long millis) {
        return readers().seekGroup(topicName(slot), topics[at(slot)], millis);
    }

    /** Trims; no reader may be open. */
    String trim() {
        String flushed = flushOthers(null);
        endWithReaders();
        readers.closeMembers();
        long deadline = System.nanoTime() + World.PATIENCE.toNanos();
        for (ModelTopic each : topics()) {
            long expected = switch (each.retention) {
                case FOREVER, A_DAY -> each.start;
                case NOTHING -> each.next();
                default -> Math.max(each.start, readers.consumed(each).orElse(0));
            };
            do {
                world.trim();
                each.start = world.state(each).start();
            } while (each.start < expected && System.nanoTime() - deadline < 0);
            if (each.start != expected) {
                throw new AssertionError("The start of " + each.name + " is " + each.start + " instead of " + expected);
            }
        }
        return flushed + "trimmed to "
                + topics().stream().map(each -> each.start).toList();
    }

    /** The result of using a name of a kind. */
    String use(Step.Kind kind, String name) {
        boolean isLegal = isLegal(name);
        String unique = isLegal && name.getBytes(StandardCharsets.UTF_8).length < 400 ? name + "-" + number : name;
        return expect(isLegal ? "used" : Outcome.failure(IllegalArgumentException.class), Outcome.of(() -> {
            switch (kind) {
                case TOPIC -> {
                    boolean ignored = messaging().topics().create(Topic.named(unique));
                    boolean isShown = messaging().topics().list().stream()
                            .anyMatch(each -> each.name().equals(unique));
                    return isShown && messaging().topics().delete(unique) ? "used" : "not found";
                }
                case GROUP -> {
                    ModelTopic any = topics().isEmpty() ? null : topics().get(0);
                    Subscription subscription = Subscription.of(unique, any == null ? "t" : any.name);
                    if (any != null) {
                        learn(setup.storage(), any);
                        messaging().groups().seek(subscription.group(), any.name, java.time.Instant.EPOCH);
                        return messaging().groups().delete(unique) ? "used" : "not found";
                    }
                    return "used";
                }
                default -> {
                    messaging().publisher(unique, Serde.bytes(), Serde.bytes()).close();
                    return "used";
                }
            }
        }));
    }

    /** Whether a name is legal according to the documentation. */
    private static boolean isLegal(String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        boolean isText = new String(bytes, StandardCharsets.UTF_8).equals(name) && !name.contains("\0");
        return !name.isBlank() && isText && bytes.length <= LogName.MAX_BYTES;
    }

    /** Checks that a reader from the start finds every committed record once. */
    void finish() throws SQLException {
        String ended = end(true) + flushOthers(null) + settle();
        try (PreparedStatement statement =
                world.connection.prepareStatement("select count(*) from public.bill where topic = ?")) {
            statement.setString(1, "program-" + number);
            try (ResultSet row = statement.executeQuery()) {
                boolean ignored = row.next();
                expect(ended + kept + " rows", ended + row.getInt(1) + " rows");
            }
        }
        world.connection.commit();
        readers.closeMembers();
        Setup atEnd = new Setup(
                setup.partitions(), setup.retention(), ResetPolicy.EARLIEST, 500, setup.storage(), setup.name());
        if (!topics().isEmpty()) {
            List<String> names = topics().stream().map(each -> each.name).toList();
            try (Member last = new Member(world, atEnd, setup.storage().other(), name("end"), names)) {
                int partitions =
                        topics().stream().mapToInt(ModelTopic::partitions).sum();
                long deadline = System.nanoTime() + World.PATIENCE.toNanos();
                while (last.real.assignment().size() < partitions && System.nanoTime() - deadline < 0) {
                    last.real.poll(World.PATIENCE.dividedBy(1000));
                }
                for (ModelTopic each : topics()) {
                    IntStream.range(0, each.partitions()).forEach(partition -> {
                        ModelReading reading = new ModelReading(each, partition, null);
                        reading.resolve(ResetPolicy.EARLIEST);
                        last.adopt(reading);
                    });
                }
                last.release();
                String ignored = last.take(Integer.MAX_VALUE);
            }
            boolean ignored = messaging().groups().delete(name("end"));
        }
    }

    @Override
    public void close() {
        if (booking != null) {
            String ignored = end(false);
        }
        readers.close();
        writers.forEach(Writer::close);
        for (ModelTopic each : topics()) {
            boolean ignored = messaging().topics().delete(each.name);
        }
    }

    /** The time of a batch of a topic, by its number. */
    long time(int slot, int batch) {
        ModelTopic topic = topics[at(slot)];
        return switch (batch) {
            case Step.LONG_AGO -> 0;
            case Step.FAR -> System.currentTimeMillis() + 3_600_000_000L;
            default -> topic == null ? 1 : topic.timeOf(batch);
        };
    }

    /** The name of a partition of a slot. */
    String partition(int slot, int partition) {
        return topicName(slot) + "-" + partition;
    }

    /** The position of a record of a partition, or the one right after it. */
    long position(int slot, int partition, int index, boolean isAfter) {
        ModelTopic topic = topics[at(slot)];
        if (topic == null
                || partition >= topic.partitions()
                || topic.records(partition).isEmpty()) {
            return 0;
        }
        List<ModelRecord> all = topic.records(partition);
        return all.get(index % all.size()).position + (isAfter ? 1 : 0);
    }
}
