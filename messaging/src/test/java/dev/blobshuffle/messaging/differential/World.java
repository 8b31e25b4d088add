package dev.blobshuffle.messaging.differential;

import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.CommitLogs;
import dev.blobshuffle.log.internal.ReadRequest;
import dev.blobshuffle.log.internal.SequencedBatch;
import dev.blobshuffle.log.internal.TopicState;
import dev.blobshuffle.messaging.Messaging;
import dev.blobshuffle.messaging.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** A database with instances, which many programs share. */
final class World implements AutoCloseable {
    /** The most bytes of a record. */
    static final int RECORD_LIMIT = 120_000;

    /** Several databases share the connections of a server. */
    private static final String CONNECTIONS = "&connections=3";

    static final Duration PATIENCE = Duration.ofSeconds(60);

    private final SystemTime time = new SystemTime();
    private final TestDatabase database;
    private final CommitLog log;
    private final Map<Storage, Messaging> instances = new EnumMap<>(Storage.class);
    final Connection connection;
    private int programs;

    /** The fault in the running program. */
    Fault fault = Fault.NONE;

    /** The storage of an instance's records. */
    enum Storage {
        /** Small records go into the log. */
        LOG("25600"),
        /** All records go into blobs. */
        BLOBS("0");

        private final String inline;

        Storage(String inline) {
            this.inline = inline;
        }

        Storage other() {
            return this == LOG ? BLOBS : LOG;
        }
    }

    World() throws SQLException, IOException {
        Path directory = Files.createTempDirectory("differential");
        database = new TestDatabase(directory);
        log = CommitLogs.open(database.log() + CONNECTIONS, "differential", time);
        for (Storage storage : Storage.values()) {
            Map<String, Object> settings = new HashMap<>(database.settings(directory, "a"));
            settings.put("blobshuffle.store", "memory://" + database.name);
            settings.put("blobshuffle.log", database.log() + CONNECTIONS);
            settings.put("blobshuffle.batch.max.delay.ms", "20000");
            settings.put("blobshuffle.inline.max.bytes", storage.inline);
            settings.put("blobshuffle.record.max.bytes", String.valueOf(RECORD_LIMIT));
            settings.put("blobshuffle.sweep.interval.ms", "0");
            instances.put(storage, Messaging.open(settings));
        }
        connection = database.connect();
        connection.setAutoCommit(false);
    }

    /** Counts a program that has used this world; returns the number of programs. */
    int countProgram() {
        return ++programs;
    }

    Messaging messaging(Storage storage) {
        return instances.get(storage);
    }

    int number(String topic) {
        return await(log.topics().find(topic)).orElseThrow().number();
    }

    /** Sequences everything committed, and returns the batches from a sequence on. */
    List<SequencedBatch> sequence(ModelTopic topic) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (state(topic).isStaged()) {
            var ignored = await(log.sequence(topic.number));
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("Batches of " + topic.name + " get no place.");
            }
        }
        return await(
                log.read(new ReadRequest(topic.number, topic.next(), 10_000, Integer.MAX_VALUE, Optional.empty())));
    }

    TopicState state(ModelTopic topic) {
        return await(log.look(Set.of(topic.number))).get(0);
    }

    /** Trims until there is nothing left to trim. */
    void trim() {
        while (await(log.retention().trim()).orElse(1) > 0) {
            // A call trims a limited number.
        }
    }

    private <T> T await(CompletionStage<T> stage) {
        return CommitLogs.await(stage, PATIENCE, "run a program", time);
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new AssertionError(e);
        } finally {
            instances.values().forEach(Messaging::close);
            log.close();
            time.close();
        }
    }
}
