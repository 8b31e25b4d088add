package dev.blobshuffle.postgresql.internal.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.postgresql.internal.connection.ConnectionPool;
import dev.blobshuffle.postgresql.internal.connection.DatabaseTimeouts;
import dev.blobshuffle.postgresql.internal.connection.PostgresqlUri;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SessionNameIT {
    @ParameterizedTest
    @ValueSource(strings = {"orders-1", "orders of zone a", "a\\b'c"})
    void theServerShowsTheNameOfTheInstanceAfterAResetToo(String name) throws SQLException {
        TestLog tenant = new TestLog();
        try (ConnectionPool pool = ConnectionPool.open(
                        PostgresqlUri.parse(tenant.uri(tenant.server().port())), name, DatabaseTimeouts.DEFAULT);
                Connection connection = pool.borrow("ask");
                Statement statement = connection.createStatement()) {
            statement.execute("reset all");
            try (ResultSet row = statement.executeQuery("show application_name")) {
                row.next();
                assertThat(row.getString(1)).isEqualTo(name);
            }
        } finally {
            tenant.close();
        }
    }
}
