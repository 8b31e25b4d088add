package dev.blobshuffle.postgresql.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.postgresqlembedded.PostgresServer;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** A server whose queue of notifications is full, because a session does not read them. */
class NotificationQueueIT {
    private static final String NOTIFY = "select pg_notify('noise', repeat('x', 7900))";

    @Test
    void aFullQueueKeepsNoBatchFromItsPlace() throws SQLException {
        try (PostgresServer server = PostgresServer.builder()
                        .setting("max_notify_queue_pages", "64")
                        .start();
                LogSchema log = new LogSchema(server, "Log")) {
            Session client = log.client();
            int topic = client.topic("t");
            client.writer("w");
            Session silent = log.client();
            silent.execute("listen noise");
            silent.begin();
            silent.execute("select 1");
            Session noisy = log.client();
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 1_000; i++) {
                            noisy.execute(NOTIFY);
                        }
                    })
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("54000"));

            client.publish(1, 1, 0, topic);

            assertThat(client.<Long>value("select sequence_topic(?)", topic)).isEqualTo(1);
            assertThat(client.<Long>value("select next_seq from look(?)", (Object) new Integer[] {topic}))
                    .isEqualTo(1);
            silent.rollback();
        }
    }
}
