package dev.blobshuffle.messaging;

import dev.blobshuffle.postgresql.internal.schema.Migrations;
import dev.blobshuffle.postgresql.internal.schema.SchemaName;
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

/** A real PostgreSQL with the log's schema and a role of its clients that also has a table. */
final class TestDatabase implements AutoCloseable {
    static final String SCHEMA = "blobshuffle";
    private static final String CLIENT = "service";
    private static final String PASSWORD = "of-the-client";

    final PostgresServer server;
    private final Path credentials;

    TestDatabase(PostgresServer server, Path directory) throws SQLException, IOException {
        this.server = server;
        try (Connection owner = server.connect("postgres");
                Statement statement = owner.createStatement()) {
            statement.execute("create role " + CLIENT + " login password '" + PASSWORD + "'");
            statement.execute(
                    "create table public.bill (id bigserial, topic text, part int, position bigint, value text,"
                            + " unique (topic, part, position))");
            statement.execute("grant all on public.bill to " + CLIENT);
            statement.execute("grant all on sequence public.bill_id_seq to " + CLIENT);
            Migrations migrations = new Migrations(new SchemaName(SCHEMA));
            migrations.apply(owner);
            migrations.grant(owner, new SchemaName(CLIENT));
        }
        credentials = Files.createFile(
                directory.resolve("credentials"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(credentials, "user=" + CLIENT + "\npassword=" + PASSWORD + "\n");
    }

    /** Settings of an instance of a zone, over some servers. */
    Map<String, Object> settings(Path store, String zone, PostgresServer... servers) {
        StringBuilder hosts = new StringBuilder("127.0.0.1:" + server.port());
        for (PostgresServer each : servers) {
            hosts.append(",127.0.0.1:").append(each.port());
        }
        Map<String, Object> settings = new HashMap<>();
        settings.put("blobshuffle.store", store.toUri().toString());
        settings.put(
                "blobshuffle.log",
                "postgresql://" + hosts + "/postgres?schema=" + SCHEMA + "&credentials=" + credentials);
        settings.put("blobshuffle.zone", zone);
        settings.put("blobshuffle.batch.max.delay.ms", "50");
        return settings;
    }

    /** The URI of the log. */
    String log() {
        return "postgresql://127.0.0.1:" + server.port() + "/postgres?schema=" + SCHEMA + "&credentials=" + credentials;
    }

    /** A connection of the clients' role. */
    Connection connect() throws SQLException {
        return server.connect("postgres", CLIENT, PASSWORD);
    }

    @Override
    public void close() {
        server.close();
    }
}
