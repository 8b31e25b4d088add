package dev.blobshuffle.postgresql.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.postgresqlembedded.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Roles that may call some functions: those of the script in docs/security.md. */
class LimitedRoleIT extends LogSchemaFixture {
    private static final Path PAGE = Path.of("..", "docs", "security.md");
    private static final Pattern SCRIPT = Pattern.compile("```sql\n(create role orders_app.*?)```", Pattern.DOTALL);
    private static final String READ = "select * from read_order(?, 0, 10, 1000, null) where seq is not null";
    private static final String DENIED = "42501";
    private static final List<String> ADMINISTRATION = List.of(
            "select create_topic('u', 1, 'forever', null)",
            "select change_topic(1, 2, 'forever', null)",
            "select delete_topic('t')",
            "select set_positions('g', '{}', '{}', '{}')",
            "select delete_group('g')",
            "select outbox_publish('t', '\\x01'::bytea, 1::bigint, 1::bigint)");
    private static final List<String> PUBLISHING =
            List.of("select * from init_writer('w')", "select outbox_publish('t', 'key'::bytea, 'value'::bytea)");

    private final String role = "limited_" + UUID.randomUUID().toString().substring(0, 8);
    private Session limited;

    @BeforeEach
    void enter() throws SQLException {
        limited = new Session(PostgresServer.shared(release).connect("postgres"));
    }

    @AfterEach
    void drop() throws SQLException {
        limited.close();
        log.owner().execute("drop owned by " + role);
        log.owner().execute("drop role " + role);
    }

    private void become(String withheld) throws IOException, SQLException {
        Matcher script = SCRIPT.matcher(Files.readString(PAGE));
        assertThat(script.find()).isTrue();
        log.owner()
                .execute(script.group(1)
                        .replace("orders_app", role)
                        .replace("'blobshuffle'", "'" + log.quoted() + "'")
                        .replace("schema blobshuffle", "schema " + log.quoted())
                        .replace("'delete_group'", "'delete_group'" + withheld));
        limited.execute("set role " + role);
        limited.execute("set search_path to " + log.quoted());
    }

    @Test
    void anApplicationPublishesAndReadsButDoesNotAdministrate() throws Exception {
        int topic = client.topic("t");
        become("");
        for (int round = 0; round < 2; round++) {
            for (String call : ADMINISTRATION) {
                assertFails(DENIED, () -> limited.execute(call));
            }
            for (String call : PUBLISHING) {
                limited.execute(call);
            }
            limited.execute("select sequence_topic(?)", topic);
            assertThat(limited.rows(READ, topic)).hasSize(round + 1);
            new Migrations(new SchemaName(log.name)).apply(log.owner().connection()); // It widens nothing.
        }
    }

    @Test
    void aReaderDoesNotPublish() throws Exception {
        int topic = client.topic("t");
        become(", 'init_writer', 'publish', 'outbox_publish'");
        for (String call : ADMINISTRATION) {
            assertFails(DENIED, () -> limited.execute(call));
        }
        for (String call : PUBLISHING) {
            assertFails(DENIED, () -> limited.execute(call));
        }
        assertFails(DENIED, () -> limited.execute("select * from batch"));
        client.execute(PUBLISHING.get(1));
        limited.execute("select sequence_topic(?)", topic);
        assertThat(limited.rows(READ, topic)).hasSize(1);
    }
}
