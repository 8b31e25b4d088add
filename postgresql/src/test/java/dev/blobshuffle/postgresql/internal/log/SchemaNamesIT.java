package dev.blobshuffle.postgresql.internal.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.core.store.StoreFinding;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.LogBatch;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.RetentionRule;
import dev.blobshuffle.log.internal.Writer;
import dev.blobshuffle.postgresql.internal.checkup.LogCheckup;
import dev.blobshuffle.postgresql.internal.connection.DatabaseTimeouts;
import dev.blobshuffle.postgresql.internal.connection.PostgresqlUri;
import dev.blobshuffle.postgresql.internal.schema.ClientRole;
import dev.blobshuffle.postgresql.internal.schema.Migrations;
import dev.blobshuffle.postgresql.internal.schema.SchemaName;
import dev.blobshuffle.postgresqlembedded.PostgresRelease;
import dev.blobshuffle.postgresqlembedded.PostgresServer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Schemas whose names PostgreSQL takes only in quotes. */
class SchemaNamesIT {
    private static final String DATABASE = "postgres";
    private static final String ROLE = "client_of_named_schemas";

    private final PostgresServer server = PostgresServer.shared(PostgresRelease.shipped());

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"user", "order"})
    void aWordOfSqlMayNameTheSchema(String name) throws Exception {
        try (Connection owner = server.connect(DATABASE);
                Statement statement = owner.createStatement();
                SystemTime time = new SystemTime()) {
            statement.execute("create role " + ROLE + " login password 'secret'");
            try {
                create(owner, name);
                String uri = uri(name);
                assertThat(new LogCheckup(PostgresqlUri.parse(uri), Migrations.needed(), time).run())
                        .filteredOn(finding -> finding.subject().equals("schema"))
                        .singleElement()
                        .satisfies(finding -> assertThat(finding.level()).isEqualTo(StoreFinding.Level.OK));
                publish(uri, time);
            } finally {
                statement.execute("drop schema if exists \"" + name + "\" cascade");
                statement.execute("drop role " + ROLE);
            }
        }
    }

    private static void create(Connection owner, String name) throws SQLException {
        Migrations migrations = new Migrations(new SchemaName(name));
        migrations.apply(owner);
        migrations.grant(owner, ClientRole.of(ROLE));
    }

    private String uri(String name) throws IOException {
        Path credentials = directory.resolve("credentials");
        PrivateFiles.write(credentials, "user=" + ROLE + "\npassword=secret\n");
        return "postgresql://127.0.0.1:" + server.port() + "/" + DATABASE + "?schema=" + name
                + "&sslmode=disable&credentials=" + credentials;
    }

    private static void publish(String uri, SystemTime time) throws Exception {
        try (CommitLog log = new PostgresqlLogProvider(DatabaseTimeouts.DEFAULT).open(uri, "test", time)) {
            LogTopic topic = get(log.topics().create("orders", 1, new RetentionRule.Forever()))
                    .orElseThrow();
            Writer writer = get(log.open("a"));
            LogBatch batch = new LogBatch(topic.number(), new byte[] {1}, Set.of(), 1, 1);
            assertThat(get(writer.commit(0, List.of(batch), Optional.empty()))).hasSize(1);
            assertThat(get(log.sequence(topic.number()))).hasValue(1);
        }
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(2, TimeUnit.MINUTES);
    }
}
