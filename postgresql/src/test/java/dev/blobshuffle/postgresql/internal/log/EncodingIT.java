package dev.blobshuffle.postgresql.internal.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.log.failure.LogUnavailableException;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.RetentionRule;
import dev.blobshuffle.log.internal.group.Member;
import dev.blobshuffle.postgresql.internal.connection.DatabaseTimeouts;
import dev.blobshuffle.postgresql.internal.schema.Migrations;
import dev.blobshuffle.postgresql.internal.schema.SchemaName;
import dev.blobshuffle.postgresqlembedded.PostgresRelease;
import dev.blobshuffle.postgresqlembedded.PostgresServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log in a database whose encoding has fewer characters than UTF-8. */
class EncodingIT {
    private static final String DATABASE = "latin";
    private static final String TOO_MUCH = "日本";

    private final PostgresServer server = PostgresServer.shared(PostgresRelease.shipped());
    private final SystemTime time = new SystemTime();

    @TempDir
    private Path directory;

    private CommitLog log;

    @BeforeEach
    void createTheDatabase() throws Exception {
        execute("create database " + DATABASE + " encoding 'LATIN1' locale 'C' template template0");
        try (Connection owner = server.connect(DATABASE)) {
            new Migrations(new SchemaName("blobshuffle")).apply(owner);
        }
        Path credentials = directory.resolve("credentials");
        PrivateFiles.write(credentials, "user=postgres\npassword=" + server.password() + "\n");
        String uri = "postgresql://127.0.0.1:" + server.port() + "/" + DATABASE + "?sslmode=disable&credentials="
                + credentials;
        log = new PostgresqlLogProvider(DatabaseTimeouts.DEFAULT).open(uri, "test", time);
    }

    @AfterEach
    void dropTheDatabase() throws Exception {
        log.close();
        time.close();
        execute("drop database " + DATABASE + " with (force)");
    }

    private void execute(String sql) throws Exception {
        try (Connection owner = server.connect("postgres");
                Statement statement = owner.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void namesOfTheEncodingWork() {
        LogTopic topic = join(log.topics().create("café", 1, new RetentionRule.Forever()))
                .orElseThrow();
        Member member = new Member("gr\u00fcn", new UUID(1, 2), new Zone("a"), Set.of(topic.number()));

        assertThat(join(log.groups().renew(member, Set.of())).owned()).isNotNull();
        join(log.open("é"));
    }

    @Test
    void aTopicOfOtherCharactersGetsTheRemedy() {
        assertThat(failure(log.topics().create(TOO_MUCH, 1, new RetentionRule.Forever())))
                .isInstanceOf(LogUnavailableException.class)
                .hasMessageContaining("database with the encoding UTF8");
    }

    /** Otherwise a publisher or a member would try again for ever, without a word. */
    @Test
    void aPublisherOrMemberOfOtherCharactersIsRefused() {
        LogTopic topic = join(log.topics().create("orders", 1, new RetentionRule.Forever()))
                .orElseThrow();
        Member member = new Member(TOO_MUCH, new UUID(1, 2), new Zone("a"), Set.of(topic.number()));

        assertThat(failure(log.groups().renew(member, Set.of())))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("database with the encoding UTF8");
        assertThat(failure(log.open(TOO_MUCH)))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("database with the encoding UTF8");
    }

    private static Throwable failure(CompletionStage<?> stage) {
        return stage.handle((result, failure) -> failure)
                .thenApply(failure -> failure instanceof CompletionException ? failure.getCause() : failure)
                .toCompletableFuture()
                .orTimeout(2, TimeUnit.MINUTES)
                .join();
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(2, TimeUnit.MINUTES).join();
    }
}
