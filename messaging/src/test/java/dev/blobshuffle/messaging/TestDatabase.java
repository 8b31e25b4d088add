package dev.blobshuffle.messaging;

import dev.blobshuffle.postgresql.internal.schema.ClientRole;
import dev.blobshuffle.postgresql.internal.schema.Migrations;
import dev.blobshuffle.postgresql.internal.schema.SchemaName;
import dev.blobshuffle.postgresqlembedded.PostgresRelease;
import dev.blobshuffle.postgresqlembedded.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A database with the log's schema, and a client role that also has a table. It is on the server
 * that the tests of this JVM share.
 */
public final class TestDatabase {
    /** The log's schema. */
    public static final String SCHEMA = "blobshuffle";

    private static final String PASSWORD = "of-the-client";
    private static final AtomicInteger DATABASES = new AtomicInteger();

    private final PostgresServer server = PostgresServer.shared(PostgresRelease.shipped());
    private final int number = DATABASES.incrementAndGet();
    private final String client = "service_" + number;
    private final Path credentials;

    /** The database's name. */
    public final String name = "messaging_" + number;

    /** Creates the database. */
    public TestDatabase(Path directory) throws SQLException, IOException {
        try (Connection owner = server.connect("postgres");
                Statement statement = owner.createStatement()) {
            statement.execute("create database " + name);
            statement.execute("create role " + client + " login password '" + PASSWORD + "'");
        }
        try (Connection owner = server.connect(name);
                Statement statement = owner.createStatement()) {
            statement.execute(
                    "create table public.bill (id bigserial, topic text, part int, position bigint, value text,"
                            + " unique (topic, part, position))");
            statement.execute("grant all on public.bill to " + client);
            statement.execute("grant all on sequence public.bill_id_seq to " + client);
            Migrations migrations = new Migrations(new SchemaName(SCHEMA));
            migrations.apply(owner);
            migrations.grant(owner, ClientRole.of(client));
        }
        credentials = Files.createFile(
                directory.resolve("credentials"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(credentials, "user=" + client + "\npassword=" + PASSWORD + "\n");
    }

    /** Settings of an instance of a zone. */
    public Map<String, Object> settings(Path store, String zone) {
        Map<String, Object> settings = new HashMap<>();
        settings.put("blobshuffle.store", store.toUri().toString());
        settings.put("blobshuffle.log", log());
        settings.put("blobshuffle.zone", zone);
        settings.put("blobshuffle.batch.max.delay.ms", "50");
        return settings;
    }

    /** The URI of the log. */
    public String log() {
        return "postgresql://127.0.0.1:" + server.port() + "/" + name + "?schema=" + SCHEMA + "&credentials="
                + credentials;
    }

    /** A connection of the clients' role. */
    public Connection connect() throws SQLException {
        return server.connect(name, client, PASSWORD);
    }
}
