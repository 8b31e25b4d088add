package dev.blobshuffle.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.log.failure.TopicAbsentException;
import dev.blobshuffle.log.failure.WriterFencedException;
import dev.blobshuffle.testkit.internal.servers.FreePort;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messaging from an application's view, with a real database and a file store. */
class MessagingIT {
    /** How long a subscriber waits for records that must not come. */
    private static final Duration LOOK = Duration.ofMillis(300);

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int SHARED = 2_000;

    @TempDir
    static Path directory;

    private static TestDatabase database;
    private static int names;

    @BeforeAll
    static void start() throws Exception {
        database = new TestDatabase(directory);
    }

    @Test
    void recordsArriveAsTheyWerePublished() {
        String topic = name();
        try (Messaging messaging = open("a")) {
            messaging.topics().create(Topic.named(topic).partitions(3));
            try (Publisher<String, byte[]> publisher = messaging.publisher(name(), Serde.string(), Serde.bytes());
                    Subscriber<String, byte[]> subscriber =
                            messaging.subscriber(Subscription.of(name(), topic), Serde.string(), Serde.bytes())) {
                byte[] large = new byte[5 << 20];
                Arrays.fill(large, (byte) 7);
                List<OutgoingRecord<String, byte[]>> sent = List.of(
                        new OutgoingRecord<>(topic, "key", bytes("value")),
                        new OutgoingRecord<>(topic, (String) null, bytes("no key")),
                        new OutgoingRecord<>(topic, "no value", (byte[]) null),
                        new OutgoingRecord<>(topic, "", new byte[0]),
                        new OutgoingRecord<>(topic, "large", large),
                        new OutgoingRecord<String, byte[]>(topic, "headers", bytes("h"))
                                .toPartition(2)
                                .at(1_000)
                                .withHeaders(List.of(
                                        new Header("a", bytes("1")),
                                        new Header("a", null),
                                        new Header("é", new byte[0]))));
                List<CompletionStage<Acknowledgement>> stages = new ArrayList<>();
                sent.forEach(record -> stages.add(publisher.publish(record)));
                publisher.flush(PATIENCE);

                Map<String, ReceivedRecord<String, byte[]>> received = new HashMap<>();
                poll(subscriber, sent.size()).forEach(record -> received.put(String.valueOf(record.key()), record));

                assertThat(stages).allMatch(stage -> stage.toCompletableFuture().isDone());
                assertThat(received).hasSize(sent.size());
                assertThat(received.get("key").value()).isEqualTo(bytes("value"));
                assertThat(received.get("null").value()).isEqualTo(bytes("no key"));
                assertThat(received.get("no value").value()).isNull();
                assertThat(received.get("").value()).isEmpty();
                assertThat(received.get("large").value()).isEqualTo(large);
                ReceivedRecord<String, byte[]> headed = received.get("headers");
                assertThat(headed.partition()).isEqualTo(2);
                assertThat(headed.timestamp()).isEqualTo(1_000);
                assertThat(headed.headers()).extracting(Header::name).containsExactly("a", "a", "é");
                assertThat(headed.headers().get(1).value()).isNull();
                assertThat(headed.headers().get(2).value()).isEmpty();
            }
        }
    }

    @Test
    void membersShareTheRecordsInOrderPerKey() {
        String topic = name();
        String group = name();
        try (Messaging first = open("a");
                Messaging second = open("b")) {
            first.topics().create(Topic.named(topic).partitions(12));
            try (Publisher<String, String> publisher = first.publisher(name(), Serde.string(), Serde.string());
                    Subscriber<String, String> one =
                            first.subscriber(Subscription.of(group, topic), Serde.string(), Serde.string());
                    Subscriber<String, String> two =
                            second.subscriber(Subscription.of(group, topic), Serde.string(), Serde.string())) {
                Map<String, List<Integer>> received = new HashMap<>();
                AtomicInteger count = new AtomicInteger();
                for (int i = 0; i < SHARED; i++) {
                    publisher.publish(topic, "key-" + i % 50, String.valueOf(i));
                    if (i % 200 == 0) {
                        count.addAndGet(take(one, received) + take(two, received));
                    }
                }
                publisher.flush(PATIENCE);
                await("all records, and half of the partitions each")
                        .pollInSameThread()
                        .atMost(PATIENCE)
                        .pollInterval(Duration.ofMillis(1))
                        .until(() -> count.addAndGet(take(one, received) + take(two, received)) >= SHARED
                                && one.assignment().size() == 6
                                && two.assignment().size() == 6);

                assertThat(count).hasValue(SHARED);
                assertThat(received).hasSize(50);
                received.values()
                        .forEach(values -> assertThat(values).isSorted().doesNotHaveDuplicates());
            }
        }
    }

    @Test
    void aGroupGoesOnWhereItCommitted() {
        String topic = name();
        String group = name();
        try (Messaging messaging = open("a")) {
            messaging.topics().create(Topic.named(topic));
            try (Publisher<String, String> publisher = messaging.publisher(name(), Serde.string(), Serde.string())) {
                for (int i = 0; i < 100; i++) {
                    publisher.publish(topic, "k", String.valueOf(i));
                }
                publisher.flush(PATIENCE);
            }
            try (Subscriber<String, String> subscriber = messaging.subscriber(
                    Subscription.of(group, topic).maxRecords(30), Serde.string(), Serde.string())) {
                assertThat(values(poll(subscriber, 30))).startsWith("0").endsWith("29");
                subscriber.commit();
                assertThat(values(poll(subscriber, 30))).startsWith("30");
            }
            try (Subscriber<String, String> subscriber =
                    messaging.subscriber(Subscription.of(group, topic), Serde.string(), Serde.string())) {
                assertThat(values(poll(subscriber, 70))).startsWith("30").endsWith("99");
                subscriber.seekToBeginning(subscriber.assignment());
                assertThat(values(poll(subscriber, 100))).startsWith("0").endsWith("99");
                subscriber.commit();
                assertThat(messaging.groups().describe(group).orElseThrow().partitions())
                        .allSatisfy((partition, progress) ->
                                assertThat(progress.lag()).isEqualTo(OptionalLong.of(0)));
            }
        }
    }

    @Test
    void aTransactionCommitsRowsRecordsAndPositionsOrNothing() throws SQLException {
        String orders = name();
        String invoices = name();
        String group = name();
        try (Messaging messaging = open("a")) {
            messaging.topics().create(Topic.named(orders));
            messaging.topics().create(Topic.named(invoices));
            try (Publisher<String, String> publisher = messaging.publisher(name(), Serde.string(), Serde.string());
                    Subscriber<String, String> subscriber =
                            messaging.subscriber(Subscription.of(group, orders), Serde.string(), Serde.string());
                    Subscriber<String, String> reader =
                            messaging.subscriber(Subscription.of(name(), invoices), Serde.string(), Serde.string())) {
                publisher.publish(orders, "k", "one");
                publisher.publish(orders, "k", "two");
                publisher.flush(PATIENCE);

                List<ReceivedRecord<String, String>> polled = poll(subscriber, 2);
                try (Transaction transaction = messaging.begin(publisher, subscriber)) {
                    book(transaction.connection(), polled);
                    publisher.publish(invoices, "k", "rolled back");
                }
                assertThat(booked(orders)).isEmpty();

                List<ReceivedRecord<String, String>> again = poll(subscriber, 2);
                assertThat(again).isEqualTo(polled);
                try (Transaction transaction = messaging.begin(publisher, subscriber)) {
                    book(transaction.connection(), again);
                    again.forEach(record -> publisher.publish(invoices, "k", "invoice of " + record.value()));
                    transaction.commit();
                    assertThat(transaction.wasCommitted()).isTrue();
                }

                assertThat(booked(orders)).containsExactly("one", "two");
                assertThat(values(poll(reader, 2))).containsExactly("invoice of one", "invoice of two");
                assertThat(reader.poll(LOOK)).isEmpty();
                assertThat(subscriber.poll(LOOK)).isEmpty();
            }
            try (Subscriber<String, String> successor =
                    messaging.subscriber(Subscription.of(group, orders), Serde.string(), Serde.string())) {
                assertThat(successor.poll(LOOK)).isEmpty();
            }
        }
    }

    /** Never half of it: no rows without records, and no records without committed rows. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "rollback | has ended the transaction",
                "commit | has ended the transaction",
                "rollback and chain | has ended the transaction",
                "commit; begin; select 1 | has ended the transaction",
                "set transaction read only | read-only",
                "set role none; select 1/0 | failed before"
            })
    void aTransactionWhoseCallerEndsItAsSqlPublishesNothing(String misuse, String reason) throws SQLException {
        String topic = name();
        try (Messaging messaging = open("a")) {
            messaging.topics().create(Topic.named(topic));
            try (Publisher<String, String> publisher = messaging.publisher(name(), Serde.string(), Serde.string());
                    Subscriber<String, String> reader =
                            messaging.subscriber(Subscription.of(name(), topic), Serde.string(), Serde.string())) {
                try (Transaction transaction = messaging.begin(publisher);
                        Statement statement = transaction.connection().createStatement()) {
                    statement.execute("insert into public.bill (topic, part, position, value) values ('" + topic
                            + "', 0, 0, 'a')");
                    try {
                        statement.execute(misuse);
                    } catch (SQLException e) {
                        assertThat(misuse).contains("1/0");
                    }
                    publisher.publish(topic, "k", "lost");
                    assertThatThrownBy(transaction::commit)
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining(reason);
                }
                try (Transaction transaction = messaging.begin(publisher)) {
                    book(transaction.connection(), List.of());
                    publisher.publish(topic, "k", "kept");
                    transaction.commit();
                }
                assertThat(values(poll(reader, 1))).containsExactly("kept");
                assertThat(booked(topic)).hasSize(misuse.startsWith("commit") ? 1 : 0);
            }
        }
    }

    /** One call may contain several statements. */
    @ParameterizedTest
    @ValueSource(strings = {"commit; begin", "rollback; begin; select 1", "commit and chain", "rollback and chain"})
    void aTransactionWhoseFirstCallEndsItPublishesNothing(String misuse) throws SQLException {
        String topic = name();
        try (Messaging messaging = open("a")) {
            messaging.topics().create(Topic.named(topic));
            try (Publisher<String, String> publisher = messaging.publisher(name(), Serde.string(), Serde.string());
                    Subscriber<String, String> reader =
                            messaging.subscriber(Subscription.of(name(), topic), Serde.string(), Serde.string())) {
                try (Transaction transaction = messaging.begin(publisher);
                        Statement statement = transaction.connection().createStatement()) {
                    statement.execute("set transaction isolation level repeatable read; insert into public.bill"
                            + " (topic, part, position, value) values ('" + topic + "', 0, 0, 'a'); " + misuse);
                    publisher.publish(topic, "k", "lost");
                    assertThatThrownBy(transaction::commit)
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("has ended the transaction");
                }
                publisher.publish(topic, "k", "kept");
                publisher.flush(PATIENCE);
                assertThat(values(poll(reader, 1))).containsExactly("kept");
            }
        }
    }

    /** An instance that has cached the former topic, because it published to it. */
    @Test
    void aTopicThatIsMadeAgainIsReadAndWrittenAtOnce() {
        String topic = name();
        String group = name();
        try (Messaging messaging = open("a");
                Publisher<String, String> publisher = messaging.publisher(name(), Serde.string(), Serde.string())) {
            messaging.topics().create(Topic.named(topic));
            publisher.publish(topic, "k", "former");
            publisher.flush(PATIENCE);
            messaging.topics().delete(topic);
            messaging.topics().create(Topic.named(topic));

            messaging.groups().seek(group, topic, Instant.EPOCH);
            assertThat(messaging.groups().describe(group).orElseThrow().partitions())
                    .hasSize(1);
            try (Subscriber<String, String> subscriber =
                    messaging.subscriber(Subscription.of(group, topic), Serde.string(), Serde.string())) {
                publisher.publish(topic, "k", "new");
                publisher.flush(PATIENCE);
                assertThat(values(poll(subscriber, 1))).containsExactly("new");
            }
        }
    }

    @Test
    void aTransactionToATopicThatWasMadeAgainFailsOnce() {
        String topic = name();
        try (Messaging messaging = open("a");
                Publisher<String, String> publisher = messaging.publisher(name(), Serde.string(), Serde.string())) {
            messaging.topics().create(Topic.named(topic));
            publisher.publish(topic, "k", "former");
            publisher.flush(PATIENCE);
            messaging.topics().delete(topic);
            messaging.topics().create(Topic.named(topic));
            try (Transaction transaction = messaging.begin(publisher)) {
                publisher.publish(topic, "k", "lost");
                assertThatThrownBy(transaction::commit).isInstanceOf(TopicAbsentException.class);
            }
            try (Transaction transaction = messaging.begin(publisher)) {
                publisher.publish(topic, "k", "kept");
                transaction.commit();
            }
        }
    }

    @Test
    void anAddedPartitionTakesRecordsAtOnce() throws Exception {
        String topic = name();
        try (Messaging messaging = open("a");
                Publisher<String, String> publisher = messaging.publisher(name(), Serde.string(), Serde.string())) {
            messaging.topics().create(Topic.named(topic));
            publisher.publish(topic, "k", "first");
            messaging.topics().change(Topic.named(topic).partitions(2));
            CompletionStage<Acknowledgement> answer =
                    publisher.publish(new OutgoingRecord<>(topic, "k", "second").toPartition(1));
            publisher.flush(PATIENCE);
            assertThat(answer.toCompletableFuture().get().partition().partition())
                    .isEqualTo(1);
            assertThatThrownBy(() -> publisher.publish(new OutgoingRecord<>(topic, "k", "third").toPartition(2)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void theNextTransactionFindsTheSessionAsItBegan() throws SQLException {
        try (Messaging messaging = open("a");
                Publisher<String, String> publisher = messaging.publisher(name(), Serde.string(), Serde.string())) {
            String before = settings(messaging, publisher);
            try (Transaction transaction = messaging.begin(publisher)) {
                Connection connection = transaction.connection();
                try (Statement statement = connection.createStatement()) {
                    connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
                    assertThat(statement.getConnection()).isSameAs(connection);
                    statement.execute("set search_path = pg_catalog");
                    statement.execute("set time zone 'Asia/Tokyo'");
                    statement.execute("create temp table left_over (n int)");
                    statement.execute("select pg_advisory_lock(4711)");
                    statement.execute("listen left_over");
                    statement.execute("set statement_timeout = '1h'");
                }
                transaction.commit();
            }
            for (int i = 0; i < 3; i++) {
                assertThat(settings(messaging, publisher)).isEqualTo(before);
            }
        }
    }

    private static String settings(Messaging messaging, Publisher<?, ?> publisher) throws SQLException {
        try (Transaction transaction = messaging.begin(publisher);
                Statement statement = transaction.connection().createStatement();
                ResultSet row = statement.executeQuery("select concat_ws(',', pg_backend_pid() > 0, current_user,"
                        + " current_setting('application_name'), current_setting('statement_timeout'),"
                        + " current_setting('search_path'), current_setting('TimeZone'),"
                        + " current_setting('transaction_isolation'), to_regclass('pg_temp.left_over'),"
                        + " (select count(*) from pg_locks where locktype = 'advisory' and objid = 4711),"
                        + " array(select pg_listening_channels()))")) {
            row.next();
            return row.getString(1);
        }
    }

    @Test
    void aTopicThatIsDeletedAndMadeAgainStopsItsSubscribersByName() {
        String topic = name();
        try (Messaging messaging = open("a")) {
            messaging.topics().create(Topic.named(topic));
            try (Publisher<String, String> publisher = messaging.publisher(name(), Serde.string(), Serde.string());
                    Subscriber<String, String> subscriber =
                            messaging.subscriber(Subscription.of(name(), topic), Serde.string(), Serde.string())) {
                publisher.publish(topic, "k", "first");
                publisher.flush(PATIENCE);
                assertThat(values(poll(subscriber, 1))).containsExactly("first");

                messaging.topics().delete(topic);
                messaging.topics().create(Topic.named(topic));
                // Repeatedly, even when the group has no partition left.
                for (int i = 0; i < 5; i++) {
                    assertThatThrownBy(() -> {
                                while (true) {
                                    assertThat(subscriber.poll(PATIENCE)).isEmpty();
                                }
                            })
                            .isInstanceOf(TopicAbsentException.class)
                            .hasMessageContaining("'" + topic + "'")
                            .hasMessageContaining("deleted");
                }
            }
        }
    }

    /** The guide's statements as printed, with any JSON in them. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"state\": \"paid\"}",
                "{\"path\": \"C:\\\\new\", \"note\": \"say \\\"hi\\\"\\nit''s caf\\u00e9 \ud83c\udf89\"}"
            })
    void theGuidesOutboxDeliversTheJsonAsItIsWritten(String json) throws Exception {
        Matcher example = Pattern.compile("```sql\n(begin;.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("..", "docs", "guides", "messaging.md")));
        assertThat(example.find()).isTrue();
        String script = example.group(1);
        assertThat(script).contains("'orders'", "{\"state\": \"paid\"}");
        String topic = name();
        try (Messaging messaging = open("a");
                Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            messaging.topics().create(Topic.named(topic));
            statement.execute("create temp table orders (id int, state text); insert into orders values (42, 'new')");
            statement.execute(script.replace("'orders'", "'" + topic + "'").replace("{\"state\": \"paid\"}", json));
            try (Subscriber<String, String> subscriber =
                    messaging.subscriber(Subscription.of(name(), topic), Serde.string(), Serde.string())) {
                assertThat(poll(subscriber, 1))
                        .extracting(ReceivedRecord::key, ReceivedRecord::value)
                        .containsExactly(tuple("order-42", json.replace("''", "'")));
            }
        }
    }

    @Test
    void theOutboxPublishesInTheCallersTransaction() throws SQLException {
        String topic = name();
        try (Messaging messaging = open("a");
                Connection connection = database.connect()) {
            messaging.topics().create(Topic.named(topic).partitions(16));
            connection.setAutoCommit(false);
            Outbox outbox = Outbox.in(TestDatabase.SCHEMA);
            outbox.publish(connection, new OutgoingRecord<>(topic, bytes("lost"), bytes("rolled back")));
            connection.rollback();
            outbox.publish(
                    connection,
                    new OutgoingRecord<>(topic, bytes("order-42"), bytes("paid"))
                            .withHeaders(List.of(new Header("a", bytes("1")), new Header("b", null))));
            outbox.publish(
                    connection,
                    new OutgoingRecord<byte[], byte[]>(topic, null, null)
                            .toPartition(3)
                            .at(5));
            connection.commit();
            try (Publisher<String, String> publisher = messaging.publisher(name(), Serde.string(), Serde.string());
                    Subscriber<String, String> subscriber =
                            messaging.subscriber(Subscription.of(name(), topic), Serde.string(), Serde.string())) {
                publisher.publish(topic, "order-42", "shipped");
                publisher.flush(PATIENCE);

                List<ReceivedRecord<String, String>> received = poll(subscriber, 3);
                List<ReceivedRecord<String, String>> order = received.stream()
                        .filter(record -> "order-42".equals(record.key()))
                        .toList();

                assertThat(values(order)).containsExactly("paid", "shipped");
                assertThat(order)
                        .extracting(ReceivedRecord::partition)
                        .containsOnly(order.get(0).partition());
                assertThat(order.get(0).headers()).extracting(Header::name).containsExactly("a", "b");
                assertThat(received).anySatisfy(record -> {
                    assertThat(record.key()).isNull();
                    assertThat(record.value()).isNull();
                    assertThat(record.partition()).isEqualTo(3);
                    assertThat(record.timestamp()).isEqualTo(5);
                });
            }
            assertThatThrownBy(() -> outbox.publish(connection, new OutgoingRecord<>("absent", bytes("k"), bytes("v"))))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("BS003"));
            connection.rollback();
            assertThatThrownBy(
                            () -> outbox.publish(connection, new OutgoingRecord<>(topic, bytes("k"), new byte[70_000])))
                    .hasMessageContaining("65536");
        }
    }

    @Test
    void aPublisherOfTheSameNameFencesItsPredecessor() {
        String topic = name();
        String publisher = name();
        try (Messaging messaging = open("a")) {
            messaging.topics().create(Topic.named(topic));
            try (Publisher<String, String> before = messaging.publisher(publisher, Serde.string(), Serde.string())) {
                before.publish(topic, "k", "before");
                before.flush(PATIENCE);
                try (Publisher<String, String> after = messaging.publisher(publisher, Serde.string(), Serde.string())) {
                    assertThatThrownBy(() -> {
                                before.publish(topic, "k", "zombie");
                                before.flush(PATIENCE);
                            })
                            .isInstanceOf(WriterFencedException.class);
                    after.publish(topic, "k", "after");
                    after.flush(PATIENCE);
                }
            } catch (WriterFencedException e) {
                assertThat(e).hasMessageContaining(publisher); // From the close.
            }
            try (Subscriber<String, String> subscriber =
                    messaging.subscriber(Subscription.of(name(), topic), Serde.string(), Serde.string())) {
                assertThat(values(poll(subscriber, 2))).containsExactly("before", "after");
                assertThat(subscriber.poll(LOOK)).isEmpty();
            }
        }
    }

    @Test
    void anAbsentTopicIsReportedByName() {
        try (Messaging messaging = open("a");
                Publisher<String, String> publisher = messaging.publisher(name(), Serde.string(), Serde.string())) {
            assertThatThrownBy(() -> publisher.publish("absent", "k", "v"))
                    .isInstanceOf(TopicAbsentException.class)
                    .hasMessageContaining("absent");
            assertThatThrownBy(() ->
                            messaging.subscriber(Subscription.of(name(), "absent"), Serde.string(), Serde.string()))
                    .isInstanceOf(TopicAbsentException.class)
                    .hasMessageContaining("absent");
        }
    }

    @Test
    void aTopicThatIsDeletedWhileItIsPublishedFailsThePublisher() {
        String topic = name();
        try (Messaging messaging = open("a")) {
            messaging.topics().create(Topic.named(topic));
            try (Publisher<String, String> publisher = messaging.publisher(name(), Serde.string(), Serde.string())) {
                publisher.publish(topic, "k", "v");
                publisher.flush(PATIENCE);
                messaging.topics().delete(topic);

                assertThatThrownBy(() -> {
                            publisher.publish(topic, "k", "v");
                            publisher.flush(PATIENCE);
                        })
                        .isInstanceOf(BlobShuffleException.class);
                assertThatThrownBy(() -> publisher.publish(topic, "k", "v")).isInstanceOf(TopicAbsentException.class);
                messaging.topics().create(Topic.named(topic));
                publisher.publish(topic, "k", "new");
                publisher.flush(PATIENCE);
            }
            try (Subscriber<String, String> subscriber =
                    messaging.subscriber(Subscription.of(name(), topic), Serde.string(), Serde.string())) {
                assertThat(values(poll(subscriber, 1))).containsExactly("new");
            }
        }
    }

    @Test
    void aTopicOfDeadLettersMustExistAndBeAnother() {
        String topic = name();
        Subscription group = Subscription.of(name(), topic);
        try (Messaging messaging = open("a")) {
            messaging.topics().create(Topic.named(topic));

            assertThatThrownBy(() -> messaging.subscriber(group.deadLetters("absent"), Serde.string(), Serde.string()))
                    .isInstanceOf(TopicAbsentException.class)
                    .hasMessageContaining("absent");
            assertThatThrownBy(() -> group.deadLetters(topic)).hasMessageContaining("Name another topic");
        }
    }

    @Test
    void aTimeOfRetentionHasLimits() {
        for (Duration time : List.of(Duration.ZERO, Duration.ofNanos(1), Duration.ofSeconds(Long.MAX_VALUE))) {
            assertThatThrownBy(() -> Topic.named("t").retention(time)).hasMessageContaining("1 ms to 36,500 days");
        }
        String topic = name();
        try (Messaging messaging = open("a")) {
            messaging.topics().create(Topic.named(topic).retention(Duration.ofDays(36_500)));
            assertThat(messaging.topics().find(topic))
                    .map(Topic::retention)
                    .contains(Optional.of(Duration.ofDays(36_500)));
        }
    }

    @Test
    void recordsThatCannotBeReadGoToTheDeadLetters() {
        String topic = name();
        String letters = name();
        try (Messaging messaging = open("a")) {
            messaging.topics().create(Topic.named(topic));
            messaging.topics().create(Topic.named(letters));
            try (Publisher<String, String> publisher = messaging.publisher(name(), Serde.string(), Serde.string());
                    Subscriber<String, Long> subscriber = messaging.subscriber(
                            Subscription.of(name(), topic).deadLetters(letters), Serde.string(), Serde.longs());
                    Subscriber<String, String> reader =
                            messaging.subscriber(Subscription.of(name(), letters), Serde.string(), Serde.string())) {
                publisher.publish(topic, "k", "bad");
                publisher.publish(topic, "k", "\0\0\0\0\0\0\0\7");
                publisher.flush(PATIENCE);

                assertThat(poll(subscriber, 1))
                        .extracting(ReceivedRecord::value)
                        .containsExactly(7L);
                subscriber.commit();
                assertThat(values(poll(reader, 1))).containsExactly("bad");
            }
        }
    }

    @Test
    void metricsAreShownWhereTheSettingsSay() throws Exception {
        int port = FreePort.take();
        Map<String, Object> settings = database.settings(directory.resolve("store"), "zone-m");
        settings.put("blobshuffle.metrics.listen", "127.0.0.1:" + port);
        try (Messaging messaging = Messaging.open(settings)) {
            assertThat(messaging.topics().list()).isNotNull();
            HttpResponse<String> answer = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
                                    .build(),
                            BodyHandlers.ofString());

            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body()).contains("zone=\"zone-m\"");
        }
    }

    @Test
    void wrongSettingsAreRefusedWithTheRemedy() {
        Map<String, Object> settings = database.settings(directory.resolve("store"), "a");
        Map<String, Object> without = new HashMap<>(settings);
        without.remove("blobshuffle.log");
        Map<String, Object> misspelt = new HashMap<>(settings);
        misspelt.put("blobshuffle.logg", "x");
        Map<String, Object> slow = new HashMap<>(settings);
        slow.put("blobshuffle.delivery.timeout.ms", "600000");

        assertThatThrownBy(() -> Messaging.open(without))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("blobshuffle.log is missing");
        assertThatThrownBy(() -> Messaging.open(misspelt))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("blobshuffle.log");
        assertThatThrownBy(() -> Messaging.open(slow))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("blobshuffle.delivery.timeout.ms is 600000");
    }

    private static Messaging open(String zone) {
        return Messaging.open(database.settings(directory.resolve("store"), zone));
    }

    private static <K, V> List<ReceivedRecord<K, V>> poll(Subscriber<K, V> subscriber, int count) {
        List<ReceivedRecord<K, V>> all = new ArrayList<>();
        await(count + " records")
                .pollInSameThread()
                .atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> {
                    all.addAll(subscriber.poll(Duration.ofSeconds(1)).all());
                    return all.size() >= count;
                });
        assertThat(all).hasSize(count);
        return all;
    }

    private static int take(Subscriber<String, String> subscriber, Map<String, List<Integer>> received) {
        Records<String, String> records = subscriber.poll(Duration.ofMillis(20));
        for (ReceivedRecord<String, String> record : records) {
            received.computeIfAbsent(record.key(), any -> new ArrayList<>()).add(Integer.parseInt(record.value()));
        }
        subscriber.commit();
        return records.count();
    }

    private static void book(Connection connection, List<ReceivedRecord<String, String>> records) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "insert into public.bill (topic, part, position, value) values (?, ?, ?, ?)")) {
            for (ReceivedRecord<String, String> record : records) {
                statement.setString(1, record.topic());
                statement.setInt(2, record.partition());
                statement.setLong(3, record.position());
                statement.setString(4, record.value());
                statement.executeUpdate();
            }
        }
    }

    private static List<String> booked(String topic) throws SQLException {
        List<String> values = new ArrayList<>();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "select value from public.bill where topic = '" + topic + "' order by id")) {
            while (rows.next()) {
                values.add(rows.getString(1));
            }
        }
        return values;
    }

    private static List<String> values(List<ReceivedRecord<String, String>> records) {
        return records.stream().map(ReceivedRecord::value).toList();
    }

    private static synchronized String name() {
        return "name-" + names++;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
